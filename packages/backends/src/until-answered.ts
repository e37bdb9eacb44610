import type { Reply, ReplyFailure, ReplyHooks } from '@cadre/core'
import { counted } from './counted.ts'
import { ToldText } from './told-text.ts'

/** The result of one attempt: an answer, or a failure that is worth a retry. */
export type Try = Reply | ReplyFailure | { readonly kind: 'again'; readonly failure: ReplyFailure }

export const cancelled: ReplyFailure = {
  kind: 'failed',
  code: 'cancelled',
  message: 'the request was cancelled.',
}

/** Tries at most `tries` times, and streams text once. `retrying` receives the reason before each retry. */
export async function untilAnswered(
  ask: (text: ToldText) => Promise<Try>,
  tries: number,
  hooks: ReplyHooks,
  retrying: (failure: ReplyFailure) => void,
): Promise<Reply | ReplyFailure> {
  const text = new ToldText(hooks.text)
  for (let failed = 1; ; failed++) {
    text.begin()
    const tried = await ask(text)
    if (tried.kind !== 'again') return tried
    if (failed >= tries) return counted(tried.failure, failed)
    retrying(tried.failure)
    if (hooks.again !== undefined && (await hooks.again(undefined)) === undefined) return cancelled
  }
}
