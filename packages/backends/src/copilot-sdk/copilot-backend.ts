import { type Model, matchModel, messageOf, nearestModels } from '@cadre/core'
import type { Backend, BackendContext, ModelInfo } from '../backend.ts'
import { openTransport } from '../http/open-transport.ts'
import { serverCatalog, unknownModel } from '../http/server-catalog.ts'
import { type ModelAccess, readAccess } from './access.ts'
import { copilotSdkModel } from './copilot-sdk-model.ts'
import { findCopilotSdk, loadCopilotSdk, missingSdkMessage } from './find-sdk.ts'
import { CopilotRuntime } from './runtime.ts'
import { RuntimeHost } from './runtime-host.ts'
import { hideSecrets } from './sdk-failure.ts'
import type { SdkModel } from './sdk-types.ts'

/** How long a list of models is cached, in milliseconds. */
const listingAge = 5 * 60_000

const noToken =
  'you are not signed in to GitHub Copilot. Set COPILOT_GITHUB_TOKEN to a token for an account with Copilot, or run "gh auth login". "cadre login" signs in the language server only (copilot-ls:), but the SDK needs a token. To use your own model server, set copilot.offline: true in config.yaml.'

const prefix = 'copilot-sdk'
const example = 'gpt-5'

type Provider = Extract<ModelAccess, { kind: 'provider' }>
type ModelListing =
  | { readonly kind: 'listed'; readonly models: ReadonlyMap<string, SdkModel> }
  | { readonly kind: 'failed'; readonly reason: string }

/** Models of GitHub Copilot, or of your own server, through the runtime of the Copilot SDK. */
export async function openCopilotSdk(context: BackendContext): Promise<Backend> {
  const { env, clock, config } = context
  const folder = findCopilotSdk(env)
  if (folder === undefined)
    return { open: async (name) => ({ ...unknown(name, [], missingSdkMessage(env)), unreachable: true }) }
  const access = readAccess(context)
  const host = new RuntimeHost(
    async () => CopilotRuntime.start({ sdk: await loadCopilotSdk(folder), access, env, clock }),
    clock,
  )
  const opened = new Map<string, Model>()
  const models = access.kind === 'account' ? ofAccount(access) : await ofProvider(access)
  return { ...models, close: () => host.end() }

  function ofAccount({ token, variable }: Extract<ModelAccess, { kind: 'account' }>): Backend {
    let listing: { readonly at: number; readonly listed: Promise<ModelListing> } | undefined
    return {
      async open(name, factsOf) {
        if (name === '')
          return unknown(
            name,
            [],
            `${prefix}: must be followed by a model name, for example ${prefix}:${example}.`,
          )
        const listed = await list()
        if (listed.kind === 'failed') return { ...unknown(name, [], listed.reason), unreachable: true }
        const names = [...listed.models.keys()]
        const known = listed.models.has(name) ? name : matchModel(name, names)
        if (known === undefined) {
          const near = nearestModels(name, names)
          const reason = `your Copilot plan does not offer a model named ${JSON.stringify(name)}.`
          return unknown(name, near.length > 0 ? near : names.slice(0, 5), reason)
        }
        const { capabilities, billing } = listed.models.get(known) as SdkModel
        const { max_context_window_tokens: window, max_output_tokens: maxOutput } = capabilities?.limits ?? {}
        const facts = { ...(window && { window }), ...(maxOutput && { maxOutput }), ...factsOf(known) }
        return { kind: 'found', model: modelOf(known, facts, billing?.multiplier) }
      },
      async names() {
        const listed = await list()
        return listed.kind === 'listed' ? [...listed.models.keys()] : []
      },
    }

    function list(): Promise<ModelListing> {
      const now = clock.now()
      if (listing === undefined || now - listing.at >= listingAge) {
        const listed = readList().then((result) => {
          if (result.kind === 'failed') listing = undefined
          return result
        })
        listing = { at: now, listed }
      }
      return listing.listed
    }

    async function readList(): Promise<ModelListing> {
      const leave = host.hold()
      try {
        const { client } = await host.get()
        if (!(await client.getAuthStatus()).isAuthenticated)
          return { kind: 'failed', reason: variable === undefined ? noToken : refusedToken(variable) }
        const models = (await client.listModels()).filter(({ policy }) => policy?.state !== 'disabled')
        return { kind: 'listed', models: new Map(models.map((model) => [model.id, model])) }
      } catch (error) {
        const why = hideSecrets(messageOf(error), token)
        return { kind: 'failed', reason: `the Copilot runtime could not list its models: ${why}` }
      } finally {
        leave()
      }
    }
  }

  /** The runtime asks the models of the server. Which models it has, the server itself says. */
  async function ofProvider({ endpoint, type, context: asked }: Provider): Promise<Backend> {
    const listed = { ...endpoint, lists: endpoint.lists && type === 'openai' }
    const transport = await openTransport(listed, asked)
    const catalog = serverCatalog({ prefix, example, endpoint: listed, transport, context: asked })
    return {
      async open(wanted, factsOf) {
        const found = await catalog.find(wanted, factsOf)
        if (found.kind === 'unknown') return found
        const { name, facts, ...rest } = found
        return { ...rest, model: modelOf(name, facts, undefined) }
      },
      names: catalog.names,
    }
  }

  /** Returns the same object for the same name: it owns the conversations. */
  function modelOf(name: string, facts: ModelInfo, multiplier: number | undefined): Model {
    let model = opened.get(name)
    if (model === undefined || model.window !== facts.window || model.maxOutput !== facts.maxOutput) {
      const { idleTimeout = 120_000, tries = 3, subagents = false } = config.copilot ?? {}
      model = copilotSdkModel({ name, facts, multiplier, subagents, access, host, clock, idleTimeout, tries })
      opened.set(name, model)
    }
    return model
  }
}

/** The runtime does not distinguish a rejected token from an unreachable GitHub. */
function refusedToken(variable: string): string {
  return `Copilot does not accept the token in ${variable}. Set it to a token for an account with Copilot, or unset it and run "gh auth login". If GitHub cannot be reached, check the network.`
}

function unknown(name: string, near: readonly string[], reason: string) {
  return unknownModel(prefix, name, reason, near)
}
