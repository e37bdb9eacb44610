import type { Entry, ReportStatus, SessionSpec, SessionStatus } from '@cadre/core'
import type { ProcessIdentity } from '@cadre/disk'
import type { TreeOrder, TreeResult } from '../tree-order.ts'
import type { Packed } from './packed.ts'

/** One record in the log of a tree. Its position is its place in the journal of the invocation. */
export type LogItem =
  /** A process starts to run the tree. `format`: of the commands that a replay repeats. The first life of an invocation decides it. */
  | { readonly t: 'life'; readonly owner: ProcessIdentity; readonly format?: 2 }
  /** A new session, or one that becomes active again. */
  | { readonly t: 'open'; readonly spec: SessionSpec }
  | { readonly t: 'add'; readonly id: string; readonly entries: readonly Entry[] }
  | {
      readonly t: 'end'
      readonly id: string
      readonly status: SessionStatus
      readonly outcome: ReportStatus | null
    }
  /** A person has replaced the record of a session. */
  | {
      readonly t: 'edit'
      readonly id: string
      readonly entries: readonly Entry[]
      readonly summary: string
      readonly systemPrompt?: string
    }
  /** From here on, the tree waits for message number `n` and later ones. */
  | { readonly t: 'listen'; readonly n: number }
  /** Message number `n` has taken effect. */
  | { readonly t: 'heard'; readonly n: number }
  /** Its acknowledgement proves that this process still runs the tree. */
  | { readonly t: 'alive' }
  /** Why the tree makes no progress, for people. Null: it does again. */
  | { readonly t: 'notice'; readonly message: string | null }
  /** Writes the archive. */
  | { readonly t: 'archive' }
  /**
   * The last item. It contains everything that decides the commands on the way out, because messages that arrive in the meantime must not
   * change them: whether a message is still awaited, and the orders that come next: what continues the tree, and messages that had no
   * effect. `taken`: the number of the last message that the tree has from its mailbox. Older code does not write it.
   */
  | {
      readonly t: 'close'
      readonly result: TreeResult
      readonly isListening: boolean
      readonly orders: readonly Packed<TreeOrder>[]
      readonly taken?: number
    }
