import type { KeptSessionState } from '../session-keeper.ts'
import type { StaleTask } from './marks.ts'
import type { PlacedTask } from './task-book.ts'

/** One action on tasks. Safe to repeat after a crash. */
export type Action =
  /** Its line is stale, from an old copy of the file: restore it. */
  | { readonly kind: 'restore'; readonly stale: StaleTask }
  /** Writes missing ids in this file. */
  | { readonly kind: 'name'; readonly file: string }
  /** Writes a problem to the task. `undefined` removes it. */
  | { readonly kind: 'mark'; readonly at: PlacedTask; readonly problem: string | undefined }
  /** Claims the task for an agent: starts a session for it, under the first free name from this attempt on. */
  | {
      readonly kind: 'claim'
      readonly at: PlacedTask
      readonly agent: string
      readonly base: string
      readonly attempt: number
    }
  /** The claim is on the task, but not in the ledger. */
  | { readonly kind: 'adopt'; readonly at: PlacedTask; readonly agent: string; readonly session: string }
  /** Starts or resumes the session of a claimed task. `isNew`: it has no record. */
  | {
      readonly kind: 'begin'
      readonly at: PlacedTask
      readonly agent: string
      readonly session: string
      readonly isNew: boolean
    }
  /** Writes the end of its session to the task. */
  | { readonly kind: 'settle'; readonly at: PlacedTask; readonly session: string; readonly end: EndedSession }
  | { readonly kind: 'skip'; readonly at: PlacedTask; readonly cause: string }
  /** Reopens a task whose reason for skipping no longer applies. */
  | { readonly kind: 'reopen'; readonly at: PlacedTask }
  /** The task has a new owner: cancels its session and reopens it. */
  | { readonly kind: 'release'; readonly at: PlacedTask; readonly session: string }
  /** The task of the session was decided or removed: cancels and forgets the session. */
  | { readonly kind: 'cancel'; readonly task: string; readonly session: string; readonly reason: string }
  /** Forgets the ended session of a task that was decided or removed. */
  | { readonly kind: 'forget'; readonly task: string }
  /** Sends the changed task to its session. */
  | { readonly kind: 'tell'; readonly at: PlacedTask; readonly session: string }
  /** All tasks that a session planned have ended. `isDelivered` false: there is no session to notify, so the ends only count as reported. */
  | {
      readonly kind: 'wave'
      readonly session: string
      readonly members: readonly PlacedTask[]
      readonly isDelivered: boolean
    }

export type EndedSession = Extract<KeptSessionState, { readonly kind: 'ended' }>
