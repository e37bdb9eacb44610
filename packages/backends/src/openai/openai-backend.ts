import { type Model, type ModelResolution, matchModel, nearestModels } from '@cadre/core'
import type { Backend, BackendContext, ModelFacts } from '../backend.ts'
import { type Endpoint, readEndpoint } from './endpoint.ts'
import { type Listing, listModels } from './list-models.ts'
import { openTransport } from './open-transport.ts'
import { openAiModel } from './openai-model.ts'

/** How long a list is believed, in milliseconds; one in which a name is missing, only so long that a burst asks once. */
const listingAge = 5 * 60_000
const missingAge = 5_000

/** Any server that speaks chat completions. */
export async function openOpenAi(context: BackendContext): Promise<Backend> {
  const endpoint = readEndpoint(context)
  if (endpoint === undefined) return { open: async (name) => notConfigured(name) }
  const transport = await openTransport(endpoint, context)
  const opened = new Map<string, Model>()
  let listing: { readonly at: number; readonly listed: Promise<Listing> } | undefined

  return {
    async open(name, factsOf) {
      if (name === '')
        return unknown(name, [], 'openai: must be followed by the name of a model, for example openai:gpt-5.')
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
        const facts = factsOf(known)
        return { kind: 'found', model: modelOf(known, window === undefined ? facts : { window, ...facts }) }
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
    if (listing === undefined || now - listing.at >= age)
      listing = { at: now, listed: listModels(endpoint as Endpoint, transport, context) }
    return listing.listed
  }

  /** The same object for the same name: what a model has learnt about its server is kept. */
  function modelOf(name: string, facts: ModelFacts): Model {
    let model = opened.get(name)
    if (model === undefined || model.window !== facts.window || model.maxOutput !== facts.maxOutput) {
      model = openAiModel(name, endpoint as Endpoint, transport, context, facts)
      opened.set(name, model)
    }
    return model
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

function notConfigured(name: string): ModelResolution {
  return unknown(
    name,
    [],
    'no model server is configured. Set OPENAI_BASE_URL, OPENAI_API_KEY, or openai.baseUrl in config.yaml.',
  )
}

function unknown(name: string, near: readonly string[], reason: string): ModelResolution {
  return { kind: 'unknown', name: `openai:${name}`, nearest: near.map((found) => `openai:${found}`), reason }
}
