import type { Answer, Question } from '@cadre/core'
import type { FolderTrust, RulePlan } from '@cadre/gate'

/** Asks whoever is present. Resolves with nothing when they decide later: the run then suspends, and can be answered later. */
export type AskPerson = (
  session: string,
  question: Question,
  signal: AbortSignal,
  /** What would be written so that nobody is asked about such calls again. */
  planRule?: (grants: readonly string[]) => RulePlan,
) => Promise<Answer | undefined>

/** `later`: the person gave no answer, and nothing is recorded. */
export type TrustAnswer = 'yes' | 'no' | 'later'

export type ConfirmTrust = (folder: FolderTrust) => Promise<TrustAnswer>
