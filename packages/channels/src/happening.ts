import type { Json } from '@cadre/core'

/**
 * Something the daemon did or saw. It becomes an event of `events/YYYY-MM-DD.jsonl` and the reason of the next commit in the
 * home's git.
 */
export interface Happening {
  /** `noun.pastVerb`. */
  readonly type: string
  /** One sentence for a person, without secrets: the line of the commit. */
  readonly message: string
  readonly [field: string]: Json | undefined
}

export type Note = (happening: Happening) => void
