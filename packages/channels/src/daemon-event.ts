import type { Json } from '@cadre/core'

/**
 * Something the daemon did or saw. It becomes an event in `events/YYYY-MM-DD.jsonl`, and the message of the next commit in
 * the home's git repository.
 */
export interface DaemonEvent {
  /** `noun.pastVerb`. */
  readonly type: string
  /** One sentence for a person, without secrets: the commit message. */
  readonly message: string
  readonly [field: string]: Json | undefined
}

export type RecordEvent = (happening: DaemonEvent) => void
