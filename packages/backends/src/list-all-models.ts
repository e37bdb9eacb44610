import type { Price } from '@cadre/core'
import { installedPrograms } from './acp/installed-programs.ts'
import { inspectCopilot, mayBeSignedIn } from './copilot-access/inspect-copilot.ts'
import { serverConfigProblem } from './copilot-access/missing-server.ts'
import { findServer } from './copilot-ls/find-server.ts'
import { readEndpoint } from './http/endpoint.ts'
import { listModels } from './http/list-models.ts'
import { openTransport } from './http/open-transport.ts'
import { anthropicKind, openAiKind, type ServerKind } from './http/server-kind.ts'
import { publishedModelInfo } from './known-models.ts'
import type { ModelsConfig } from './models-config.ts'
import { systemClock } from './pause.ts'

export interface ListedModel {
  /** In the form for `--model`. */
  readonly id: string
  readonly window?: number
  readonly maxOutput?: number
  /** In dollars per million tokens. */
  readonly price?: Price
  /** The Copilot premium requests per request. */
  readonly multiplier?: number
}

export interface ListedBackend {
  readonly backend: string
  readonly models: readonly ListedModel[]
  /** The default model of an account. */
  readonly defaultModel?: string
  /** Why there are none; a full sentence. */
  readonly trouble?: string
  /** There are none because the server requires another key, or any key. */
  readonly rejectsKey?: boolean
}

export interface ListOptions {
  readonly config: ModelsConfig
  readonly env: { readonly [name: string]: string | undefined }
  readonly cwd: string
  /** The time limit for each of them, in milliseconds. */
  readonly limit: number
  /** The backends to ask. Default: all. */
  readonly only?: readonly string[]
}

/**
 * Lists the models from every backend that is configured or signed in to. Configured facts about a model take precedence over
 * reported ones.
 */
export async function listAllModels(options: ListOptions): Promise<ListedBackend[]> {
  const asks = {
    'copilot-ls': () => ofCopilot(options),
    openai: () => ofServer('openai', openAiKind, options),
    anthropic: () => ofServer('anthropic', anthropicKind, options),
    acp: async () => ofPrograms(options),
  }
  const wanted = Object.entries(asks).filter(([name]) => options.only?.includes(name) ?? true)
  const listed = await Promise.all(wanted.map(([, ask]) => ask()))
  return listed.flatMap((found) => (found === undefined ? [] : [withFacts(found, options.config)]))
}

async function ofCopilot({ config, env, limit }: ListOptions): Promise<ListedBackend | undefined> {
  const configured = config.copilot?.server
  const backend = 'copilot-ls'
  const trouble = serverConfigProblem({ env, configured })
  if (trouble !== undefined) return { backend, models: [], trouble }
  if (findServer({ env, configured }) === undefined || !mayBeSignedIn(env)) return undefined
  const survey = await inspectCopilot({ env, configured, limit })
  if (survey === undefined || survey.account?.kind === 'signed-out') return undefined
  const { account, models } = survey
  if (models !== undefined) {
    const defaultId = models.find(({ isDefault }) => isDefault)?.id
    return {
      backend,
      models: models.map(({ id, isDefault: _, ...facts }) => ({ id: `${backend}:${id}`, ...facts })),
      ...(defaultId !== undefined && { defaultModel: `${backend}:${defaultId}` }),
    }
  }
  const reason =
    account?.kind === 'no-access'
      ? `${account.user} has no access to GitHub Copilot.`
      : account?.kind === 'unknown'
        ? account.message
        : (survey.trouble ?? 'GitHub Copilot did not list its models.')
  return { backend, models: [], trouble: reason }
}

/** Agent programs on this machine. Which models they have is known only while they run. */
function ofPrograms({ config, env }: ListOptions): ListedBackend | undefined {
  const found = installedPrograms(env, config.acp).filter(({ place }) => place !== undefined)
  if (found.length === 0) return undefined
  return { backend: 'acp', models: found.map(({ name }) => ({ id: `acp:${name}` })) }
}

async function ofServer(
  backend: string,
  kind: ServerKind,
  { config, env, cwd, limit }: ListOptions,
): Promise<ListedBackend | undefined> {
  const context = { config, env, cwd, clock: systemClock, random: Math.random }
  const endpoint = readEndpoint(context, kind)
  if (endpoint === undefined) return undefined
  if (!endpoint.lists) return { backend, models: [], trouble: `${endpoint.shown} cannot list models.` }
  // The user asked for this list, so wait longer than a run would.
  const wait = config[kind.section]?.listTimeout ?? limit
  const listed = await listModels(endpoint, await openTransport(endpoint, context), wait)
  if (listed.kind === 'unlisted') {
    const advice = listed.advice === undefined ? '' : ` ${listed.advice}`
    const trouble = `cannot list the models on ${endpoint.shown}: ${listed.reason}.${advice}`
    return { backend, models: [], trouble, rejectsKey: listed.rejectsKey === true }
  }
  return {
    backend,
    models: [...listed.models].map(([name, { window }]) => ({
      id: `${backend}:${name}`,
      ...publishedModelInfo(name, endpoint),
      ...(window !== undefined && { window }),
    })),
  }
}

function withFacts(listed: ListedBackend, { models = {} }: ModelsConfig): ListedBackend {
  return {
    ...listed,
    models: listed.models.map((model) => {
      const name = model.id.slice(listed.backend.length + 1)
      const key = [model.id, name].find((one) => Object.hasOwn(models, one))
      const { window, maxOutput, price } = key === undefined ? {} : (models[key] ?? {})
      return {
        ...model,
        ...(window !== undefined && { window }),
        ...(maxOutput !== undefined && { maxOutput }),
        ...(price !== undefined && { price }),
      }
    }),
  }
}
