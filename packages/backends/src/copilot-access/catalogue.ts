import { factsIn, modelsForChat } from '../copilot-ls/server-models.ts'
import type { ServerProcess } from '../copilot-ls/server-process.ts'
import { readModeList } from '../copilot-ls/wire-readers.ts'

export interface AccountModel {
  readonly id: string
  /** The maximum tokens of a request and its reply. */
  readonly window?: number
  readonly maxOutput?: number
  /** The premium requests per request; 0 for included models. */
  readonly multiplier?: number
  readonly isDefault: boolean
}

/** The models that agents may use; undefined if the server does not list them. */
export async function readModels(server: ServerProcess): Promise<AccountModel[] | undefined> {
  const answer = await server.request('copilot/models')
  const usable = answer.kind === 'answer' ? modelsForChat(answer.value) : undefined
  const defaultModel = usable?.find(({ isChatDefault }) => isChatDefault) ?? usable?.[0]
  return usable?.map((model) => {
    const { window, maxOutput } = factsIn(model)
    const multiplier = model.billing?.multiplier
    return {
      id: model.id,
      ...(window !== undefined && { window }),
      ...(maxOutput !== undefined && { maxOutput }),
      ...(multiplier !== undefined && { multiplier }),
      isDefault: model === defaultModel,
    }
  })
}

/** A mode of the server, such as Ask or Agent. */
export interface ServerMode {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly description: string
}

/** The modes of the server; undefined if it does not list them. */
export async function readModes(server: ServerProcess): Promise<ServerMode[] | undefined> {
  const answer = await server.request('conversation/modes', {}, readModeList)
  if (answer.kind !== 'answer') return undefined
  return answer.value.flatMap(({ id, name, kind, description }) => {
    if (id === undefined || name === undefined) return []
    // For a mode from a file, the id is a path inside the server.
    return { id: id.includes('/') ? name : id, name, kind, description }
  })
}
