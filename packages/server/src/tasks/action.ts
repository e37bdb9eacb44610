import type { KeptState } from '../session-keeper.ts'
import type { Placed } from './book.ts'
import type { Stale } from './marks.ts'

/** One thing to do about tasks. Each can be done again after a crash in the middle of it, and changes nothing then. */
export type Action =
  /** Its line is stale, from an old copy of the file: restore it. */
  | { readonly kind: 'restore'; readonly stale: Stale }
  /** Tasks of this file have no id. */
  | { readonly kind: 'name'; readonly file: string }
  /** Says on the task itself what is wrong with it; nothing takes that away again. */
  | { readonly kind: 'mark'; readonly at: Placed; readonly problem: string | undefined }
  /** Makes the task this agent's: a session of its own, the first free one from this attempt on, is started for it. */
  | {
      readonly kind: 'claim'
      readonly at: Placed
      readonly agent: string
      readonly base: string
      readonly attempt: number
    }
  /** The claim is on the task, but not in the ledger. */
  | { readonly kind: 'adopt'; readonly at: Placed; readonly agent: string; readonly session: string }
  /** Starts the session of a claimed task, or lets it go on. `isNew`: it has no record. */
  | {
      readonly kind: 'begin'
      readonly at: Placed
      readonly agent: string
      readonly session: string
      readonly isNew: boolean
    }
  /** Writes on the task how its session ended. */
  | { readonly kind: 'settle'; readonly at: Placed; readonly session: string; readonly end: Ended }
  | { readonly kind: 'skip'; readonly at: Placed; readonly cause: string }
  /** What it was skipped for is no longer so. */
  | { readonly kind: 'reopen'; readonly at: Placed }
  /** The task was given to somebody else: its session is cancelled, and the task is open again. */
  | { readonly kind: 'release'; readonly at: Placed; readonly session: string }
  /** The session's task was decided or taken away: it is cancelled and forgotten. */
  | { readonly kind: 'cancel'; readonly task: string; readonly session: string; readonly reason: string }
  /** The session of a task that is decided or gone has ended. */
  | { readonly kind: 'forget'; readonly task: string }
  /** The task reads differently than its session knows. */
  | { readonly kind: 'tell'; readonly at: Placed; readonly session: string }
  /** Everything a session has planned is at an end. `isHeard` false: there is nobody to tell; it only counts as told. */
  | {
      readonly kind: 'wave'
      readonly session: string
      readonly members: readonly Placed[]
      readonly isHeard: boolean
    }

export type Ended = Extract<KeptState, { readonly kind: 'ended' }>
