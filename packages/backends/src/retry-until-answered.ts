import type { Reply, ReplyFailure, ReplyHooks } from '@cadre/core'
import { StreamedText } from './streamed-text.ts'
import { withAttemptCount } from './with-attempt-count.ts'

/** The result of one attempt: an answer, or a failure that is worth a retry. */
export type AttemptResult = Reply | ReplyFailure | { readonly kind: 'again'; readonly failure: ReplyFailure }

export const cancelled: ReplyFailure = {
  kind: 'failed',
  code: 'cancelled',
  message: 'the request was cancelled.',
}

/** Tries at most `tries` times, and streams text once. `retrying` receives the reason before each retry. */
export async function retryUntilAnswered(
  ask: (text: StreamedText) => Promise<AttemptResult>,
  tries: number,
  hooks: ReplyHooks,
  retrying: (failure: ReplyFailure) => void,
): Promise<Reply | ReplyFailure> {
  const text = new StreamedText(hooks.text)
  for (let failed = 1; ; failed++) {
    text.begin()
    const tried = await ask(text)
    if (tried.kind !== 'again') return tried
    if (failed >= tries) return withAttemptCount(tried.failure, failed)
    retrying(tried.failure)
    if (hooks.again !== undefined && (await hooks.again(undefined)) === undefined) return cancelled
  }
}
