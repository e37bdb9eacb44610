import type { ServerProcess } from '../copilot-ls/server-process.ts'
import type { ServerModel } from '../copilot-ls/wire-types.ts'

export interface AccountModel {
  readonly id: string
  readonly window?: number
  readonly maxOutput?: number
  /** Premium requests that one request costs; 0 for those that are included. */
  readonly multiplier?: number
  readonly isDefault: boolean
}

interface WireModel extends ServerModel {
  readonly isChatDefault?: boolean
}

/** The models that agents may use; undefined when the server does not tell. */
export async function readModels(server: ServerProcess): Promise<AccountModel[] | undefined> {
  const answer = await server.request<readonly WireModel[]>('copilot/models')
  if (answer.kind !== 'answer' || !Array.isArray(answer.value)) return undefined
  const usable = (answer.value as readonly WireModel[]).filter(
    ({ scopes = [], modelPolicy }) =>
      (scopes.includes('agent-panel') || scopes.includes('chat-panel')) && modelPolicy?.state !== 'disabled',
  )
  const standard = usable.find(({ isChatDefault }) => isChatDefault) ?? usable[0]
  return usable.flatMap((model) => {
    if (model.id === undefined) return []
    const { maxContextWindowTokens: window, maxOutputTokens: maxOutput } = model.capabilities?.limits ?? {}
    const multiplier = model.billing?.multiplier
    return {
      id: model.id,
      ...(window !== undefined && { window }),
      ...(maxOutput !== undefined && { maxOutput }),
      ...(multiplier !== undefined && { multiplier }),
      isDefault: model === standard,
    }
  })
}

/** A way in which the server itself would work, such as Ask or Agent. */
export interface ServerMode {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly description: string
}

/** The modes of the server; undefined when it does not tell. */
export async function readModes(server: ServerProcess): Promise<ServerMode[] | undefined> {
  const answer = await server.request<readonly Partial<ServerMode>[]>('conversation/modes')
  if (answer.kind !== 'answer' || !Array.isArray(answer.value)) return undefined
  return (answer.value as readonly Partial<ServerMode>[]).flatMap(
    ({ id, name, kind = '', description = '' }) => {
      if (id === undefined || name === undefined) return []
      // The id of a mode that the server has from a file is a path inside of the server.
      return { id: id.includes('/') ? name : id, name, kind, description }
    },
  )
}
