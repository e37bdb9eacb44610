import { type Model, type ModelResolution, matchModel, nearestModels } from '@cadre/core'
import type { Backend, BackendContext, ModelFacts } from '../backend.ts'
import { knownModel } from '../known-models.ts'
import { type Endpoint, readEndpoint } from './endpoint.ts'
import { type Listing, listModels } from './list-models.ts'
import { openTransport } from './open-transport.ts'
import type { ServerApi } from './server-api.ts'
import type { ServerKind } from './server-kind.ts'
import { serverModel } from './server-model.ts'

/** How long a list is believed, in milliseconds; one in which a name is missing, only so long that a burst asks once. */
const listingAge = 5 * 60_000
const missingAge = 5_000

export interface ServerBackendOptions<Quirks extends object> {
  /** The prefix of its models. */
  readonly prefix: string
  readonly kind: ServerKind
  /** For the sentence about a missing name. */
  readonly example: string
  readonly api: (id: string, endpoint: Endpoint, facts: ModelFacts) => ServerApi<Quirks>
}

/** The models of a server with one of the APIs over HTTP. */
export async function openServerBackend<Quirks extends object>(
  context: BackendContext,
  { prefix, kind, example, api }: ServerBackendOptions<Quirks>,
): Promise<Backend> {
  const endpoint = readEndpoint(context, kind)
  if (endpoint === undefined) return { open: async (name) => notConfigured(name) }
  const transport = await openTransport(endpoint, context)
  const opened = new Map<string, Model>()
  let listing: { readonly at: number; readonly listed: Promise<Listing> } | undefined

  return {
    async open(name, factsOf) {
      if (name === '')
        return unknown(
          name,
          [],
          `${prefix}: must be followed by the name of a model, for example ${prefix}:${example}.`,
        )
      if (!endpoint.lists) return { kind: 'found', model: modelOf(name, factsOf(name)) }
      let listed = await list(listingAge)
      let known = nameIn(listed, name)
      if (listed.kind === 'listed' && known === undefined) {
        listed = await list(missingAge)
        known = nameIn(listed, name)
      }
      if (listed.kind === 'unlisted')
        return {
          kind: 'found',
          model: modelOf(name, factsOf(name)),
          warning: `cannot check that ${endpoint.shown} has the model ${JSON.stringify(name)}: ${listed.reason}.`,
        }
      if (known !== undefined) {
        const window = rowOf(listed, known)?.window
        const facts = { ...(window !== undefined && { window }), ...factsOf(known) }
        return { kind: 'found', model: modelOf(known, facts) }
      }
      const names = [...listed.models.keys()]
      const near = nearestModels(name, names)
      return unknown(
        name,
        near.length > 0 ? near : names.slice(0, 5),
        `${endpoint.shown} does not list a model named ${JSON.stringify(name)}. Choose a listed model, or map the name to one under "aliases" in config.yaml.`,
      )
    },
    async names() {
      const listed = endpoint.lists ? await list(listingAge) : undefined
      return listed?.kind === 'listed' ? [...listed.models.keys()] : []
    },
  }

  function list(age: number): Promise<Listing> {
    const now = context.clock.now()
    const limit = context.config[kind.section]?.listTimeout ?? 1000
    if (listing === undefined || now - listing.at >= age)
      listing = { at: now, listed: listModels(endpoint as Endpoint, transport, limit) }
    return listing.listed
  }

  /** The same object for the same name: what a model has learnt about its server is kept. */
  function modelOf(name: string, given: ModelFacts): Model {
    const at = endpoint as Endpoint
    const facts = { ...knownModel(name, at), ...given }
    let model = opened.get(name)
    if (model === undefined || model.window !== facts.window || model.maxOutput !== facts.maxOutput) {
      const id = `${prefix}:${name}`
      model = serverModel({ id, name, endpoint: at, transport, api: api(id, at, facts), context, facts })
      opened.set(name, model)
    }
    return model
  }

  function notConfigured(name: string): ModelResolution {
    const { urlVariable, keyVariable, section } = kind
    const reason = `no model server is configured. Set ${urlVariable}, ${keyVariable}, or ${section}.baseUrl in config.yaml.`
    return { ...unknown(name, [], reason), unreachable: true }
  }

  function unknown(name: string, near: readonly string[], reason: string) {
    const names = near.map((found) => `${prefix}:${found}`)
    return { kind: 'unknown', name: `${prefix}:${name}`, nearest: names, reason } as const
  }
}

/** What the server calls the model that is meant. */
function nameIn(listing: Listing, name: string): string | undefined {
  if (rowOf(listing, name) !== undefined) return name
  return listing.kind === 'unlisted' ? undefined : matchModel(name, listing.models.keys())
}

function rowOf(listing: Listing, name: string) {
  if (listing.kind === 'unlisted') return undefined
  // A tag that may be left out.
  return listing.models.get(name) ?? listing.models.get(`${name}:latest`)
}
