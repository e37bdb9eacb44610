import type { ReplyFailure } from '@cadre/core'

/** The failure of the last attempt, with the number of attempts. */
export function withAttemptCount(failure: ReplyFailure, tries: number): ReplyFailure {
  return tries === 1 ? failure : { ...failure, message: `${failure.message} Tried ${tries} times.` }
}
