import { CadreError } from '@cadre/core'
import type { BackendContext } from '../backend.ts'
import { type Endpoint, readEndpoint } from '../http/endpoint.ts'
import { type FoundKey, findKey } from '../http/key.ts'
import type { CopilotProvider, OpenAiConfig } from '../models-config.ts'
import type { SdkProvider } from './sdk-types.ts'

/** How the runtime accesses models. */
export type ModelAccess =
  | {
      readonly kind: 'account'
      /** Absent: the runtime uses the account that is signed in on this machine. */
      readonly token: string | undefined
      /** The variable with the token. */
      readonly variable: string | undefined
    }
  | {
      readonly kind: 'provider'
      /** Lists its models: the same server, for the backend `openai`. */
      readonly context: BackendContext
      readonly endpoint: Endpoint
      readonly type: string
      provider(model: string, signal: AbortSignal): Promise<FoundProvider | undefined>
    }

export type FoundProvider =
  | { readonly kind: 'provider'; readonly provider: SdkProvider }
  | Extract<FoundKey, { kind: 'failed' }>

const tokenNames = ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN']

/** Throws a `configuration` error if the configuration cannot work at all. */
export function readAccess(context: BackendContext): ModelAccess {
  const { config, env } = context
  const { provider, offline = false } = config.copilot ?? {}
  if (provider === undefined && !offline) {
    const variable = tokenNames.find((name) => env[name]?.trim())
    return { kind: 'account', token: variable && env[variable]?.trim(), variable }
  }
  const asked = provider === undefined ? context : asOpenAi(context, provider)
  const endpoint = readEndpoint(asked)
  if (endpoint === undefined)
    throw new CadreError(
      'configuration',
      'copilot.offline requires a model server. Set OPENAI_BASE_URL, or copilot.provider.baseUrl in config.yaml.',
    )
  const base = asked.env['OPENAI_BASE_URL']?.trim() || asked.config.openai?.baseUrl
  const { type = 'openai', wireApi, apiVersion } = provider ?? {}
  const headers = asked.config.openai?.headers
  return {
    kind: 'provider',
    context: asked,
    endpoint,
    type,
    async provider(model, signal) {
      const found = endpoint.key.known ?? (await findKey(endpoint.key, signal))
      if (found === undefined || found.kind === 'failed') return found
      return {
        kind: 'provider',
        provider: {
          type,
          baseUrl: (base ?? 'https://api.openai.com/v1').replaceAll('{model}', encodeURIComponent(model)),
          ...(wireApi !== undefined && { wireApi }),
          ...(found.key !== undefined && { apiKey: found.key }),
          ...(headers !== undefined && { headers }),
          ...(apiVersion !== undefined && { azure: { apiVersion } }),
        },
      }
    },
  }
}

/** The provider as a server for the backend `openai`. A key for another server is not sent to it. */
function asOpenAi(context: BackendContext, provider: CopilotProvider): BackendContext {
  const { config, env } = context
  const { baseUrl, keyCommand, headers, allowInsecure, list } = provider
  const openai: OpenAiConfig = {
    baseUrl,
    ...(keyCommand !== undefined && { keyCommand }),
    ...(headers !== undefined && { headers }),
    ...(allowInsecure !== undefined && { allowInsecure }),
    ...(list !== undefined && { list }),
  }
  const { OPENAI_BASE_URL: _base, OPENAI_API_KEY: _key, ...others } = env
  const key = env['COPILOT_PROVIDER_API_KEY']
  return {
    ...context,
    config: { ...config, openai },
    env: { ...others, ...(key && { OPENAI_API_KEY: key }) },
  }
}
