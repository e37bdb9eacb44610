import type { ModelInfo } from '../backend.ts'
import { readModels } from './wire-readers.ts'
import type { ServerModel } from './wire-types.ts'

/** The tokens of the prompts that the server adds to each request. */
const ownPrompts = 4_000

/** Returns the models in the answer to `copilot/models` that agents may use; `undefined` if the answer is invalid. */
export function modelsForChat(answer: unknown): ServerModel[] | undefined {
  return readModels(answer)?.filter(isForChat)
}

/** The capacity for a request: the window of the model, without the server's own prompts. */
export function factsIn({ capabilities }: ServerModel): ModelInfo {
  const {
    maxContextWindowTokens: window,
    maxInputTokens: input,
    maxOutputTokens: output,
  } = capabilities?.limits ?? {}
  const fits =
    input === undefined ? window : Math.min(window ?? Number.POSITIVE_INFINITY, input + (output ?? 0))
  return {
    ...(fits !== undefined && { window: Math.max(1, fits - ownPrompts) }),
    ...(output !== undefined && { maxOutput: output }),
  }
}

function isForChat({ scopes, modelPolicy }: ServerModel): boolean {
  const isOffered =
    scopes === undefined || scopes.some((scope) => scope === 'agent-panel' || scope === 'chat-panel')
  return isOffered && modelPolicy?.state !== 'disabled'
}
