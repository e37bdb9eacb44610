import { type ModelResolution, matchModel, nearestModels } from '@cadre/core'
import type { Backend, BackendContext, ModelInfo } from '../backend.ts'
import { publishedModelInfo } from '../known-models.ts'
import type { Endpoint } from './endpoint.ts'
import type { Transport } from './exchange.ts'
import { listModels, type ModelListing } from './list-models.ts'

/** How long a list is believed, in milliseconds; one in which a name is missing, only so long that a burst asks once. */
const listingAge = 5 * 60_000
const missingAge = 5_000

export interface ServerCatalogOptions {
  /** The prefix of its models. */
  readonly prefix: string
  /** For the sentence about a missing name. */
  readonly example: string
  readonly endpoint: Endpoint
  readonly transport: Transport
  readonly context: BackendContext
}

type Unknown = Extract<ModelResolution, { kind: 'unknown' }>

/** A model of the server: the server's name for it, and known facts. */
export interface FoundName {
  readonly kind: 'found'
  readonly name: string
  readonly facts: ModelInfo
  readonly warning?: string
}

/** The models of a server: its names and known facts. Sends no request to a model. */
export interface ServerCatalog {
  find(name: string, factsOf: (name: string) => ModelInfo): Promise<FoundName | Unknown>
  names: NonNullable<Backend['names']>
}

export function serverCatalog(options: ServerCatalogOptions): ServerCatalog {
  const { prefix, example, endpoint, transport, context } = options
  let listing: { readonly at: number; readonly listed: Promise<ModelListing> } | undefined

  return {
    async find(name, factsOf) {
      if (name === '')
        return unknown(
          name,
          [],
          `${prefix}: must be followed by a model name, for example ${prefix}:${example}.`,
        )
      if (!endpoint.lists) return found(name, factsOf(name))
      let listed = await list(listingAge)
      let known = nameIn(listed, name)
      if (listed.kind === 'listed' && known === undefined) {
        listed = await list(missingAge)
        known = nameIn(listed, name)
      }
      if (listed.kind === 'unlisted')
        return {
          ...found(name, factsOf(name)),
          warning: `cannot check that ${endpoint.shown} has the model ${JSON.stringify(name)}: ${listed.reason}.`,
        }
      if (known !== undefined) {
        const window = rowOf(listed, known)?.window
        return found(known, { ...(window !== undefined && { window }), ...factsOf(known) })
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

  function found(name: string, given: ModelInfo): FoundName {
    return { kind: 'found', name, facts: { ...publishedModelInfo(name, endpoint), ...given } }
  }

  function list(age: number): Promise<ModelListing> {
    const now = context.clock.now()
    const limit = context.config[endpoint.kind.section]?.listTimeout ?? 1000
    if (listing === undefined || now - listing.at >= age)
      listing = { at: now, listed: listModels(endpoint, transport, limit) }
    return listing.listed
  }

  function unknown(name: string, near: readonly string[], reason: string): Unknown {
    return unknownModel(prefix, name, reason, near)
  }
}

/** Says that a backend does not have a model. Names are without the prefix. */
export function unknownModel(
  prefix: string,
  name: string,
  reason: string,
  near: readonly string[] = [],
): Unknown {
  const nearest = near.map((found) => `${prefix}:${found}`)
  return { kind: 'unknown', name: `${prefix}:${name}`, nearest, reason }
}

/** Returns the server's name for the requested model. */
function nameIn(listing: ModelListing, name: string): string | undefined {
  if (rowOf(listing, name) !== undefined) return name
  return listing.kind === 'unlisted' ? undefined : matchModel(name, listing.models.keys())
}

function rowOf(listing: ModelListing, name: string) {
  if (listing.kind === 'unlisted') return undefined
  // An optional tag.
  return listing.models.get(name) ?? listing.models.get(`${name}:latest`)
}
