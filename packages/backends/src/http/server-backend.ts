import type { Model, ModelResolution } from '@cadre/core'
import type { Backend, BackendContext, ModelInfo } from '../backend.ts'
import { type Endpoint, readEndpoint } from './endpoint.ts'
import { openTransport } from './open-transport.ts'
import type { ServerApi } from './server-api.ts'
import { serverCatalog, unknownModel } from './server-catalog.ts'
import type { ServerKind } from './server-kind.ts'
import { serverModel } from './server-model.ts'

export interface ServerBackendOptions<Quirks extends object> {
  /** The prefix of its models. */
  readonly prefix: string
  readonly kind: ServerKind
  /** For the message about a missing name. */
  readonly example: string
  readonly api: (id: string, endpoint: Endpoint, facts: ModelInfo) => ServerApi<Quirks>
}

/** The models of a server with one of the HTTP APIs. */
export async function openServerBackend<Quirks extends object>(
  context: BackendContext,
  { prefix, kind, example, api }: ServerBackendOptions<Quirks>,
): Promise<Backend> {
  const endpoint = readEndpoint(context, kind)
  if (endpoint === undefined) return { open: async (name) => notConfigured(name) }
  const transport = await openTransport(endpoint, context)
  const catalog = serverCatalog({ prefix, example, endpoint, transport, context })
  const opened = new Map<string, Model>()
  return {
    async open(wanted, factsOf) {
      const found = await catalog.find(wanted, factsOf)
      if (found.kind === 'unknown') return found
      const { name, facts, ...rest } = found
      return { ...rest, model: modelOf(name, facts, endpoint) }
    },
    names: catalog.names,
  }

  /** Returns the same object for the same name, to keep what a model has learned about its server. */
  function modelOf(name: string, facts: ModelInfo, at: Endpoint): Model {
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
    return { ...unknownModel(prefix, name, reason), unreachable: true }
  }
}
