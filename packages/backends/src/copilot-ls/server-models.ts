import type { ModelFacts } from '../backend.ts'
import type { ServerModel } from './wire-types.ts'

/** Tokens of the prompts that the server adds to each request. */
const ownPrompts = 4_000

/** The models of the answer to `copilot/models` that agents may use. */
export function modelsForChat(answer: unknown): ServerModel[] {
  return Array.isArray(answer) ? (answer as readonly ServerModel[]).filter(isForChat) : []
}

/** What a request may hold: the window of the model, without what the server itself puts into it. */
export function factsIn({ capabilities }: ServerModel): ModelFacts {
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

function isForChat({ id, scopes, modelPolicy }: ServerModel): boolean {
  const isOffered =
    scopes === undefined || scopes.some((scope) => scope === 'agent-panel' || scope === 'chat-panel')
  return typeof id === 'string' && isOffered && modelPolicy?.state !== 'disabled'
}
