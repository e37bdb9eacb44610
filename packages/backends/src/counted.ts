import type { ReplyFailure } from '@cadre/core'

/** The failure of the last try, which says how often the question was asked. */
export function counted(failure: ReplyFailure, tries: number): ReplyFailure {
  return tries === 1 ? failure : { ...failure, message: `${failure.message} Tried ${tries} times.` }
}
