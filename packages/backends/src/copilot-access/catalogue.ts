import { factsIn, modelsForChat } from '../copilot-ls/server-models.ts'
import type { ServerProcess } from '../copilot-ls/server-process.ts'

export interface AccountModel {
  readonly id: string
  /** Tokens that fit into one request and its reply. */
  readonly window?: number
  readonly maxOutput?: number
  /** Premium requests that one request costs; 0 for those that are included. */
  readonly multiplier?: number
  readonly isDefault: boolean
}

/** The models that agents may use; undefined when the server does not tell. */
export async function readModels(server: ServerProcess): Promise<AccountModel[] | undefined> {
  const answer = await server.request('copilot/models')
  if (answer.kind !== 'answer' || !Array.isArray(answer.value)) return undefined
  const usable = modelsForChat(answer.value)
  const usual = usable.find(({ isChatDefault }) => isChatDefault) ?? usable[0]
  return usable.map((model) => {
    const { window, maxOutput } = factsIn(model)
    const multiplier = model.billing?.multiplier
    return {
      id: model.id,
      ...(window !== undefined && { window }),
      ...(maxOutput !== undefined && { maxOutput }),
      ...(multiplier !== undefined && { multiplier }),
      isDefault: model === usual,
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
