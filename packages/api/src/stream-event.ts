import type { CadreEvent } from '@cadre/core'
import type { Approval } from './approval.ts'
import type { SessionRow } from './session-row.ts'

/**
 * What the stream sends. A row replaces the reader's earlier row; rows are never added up. `event` is sent only for the trees that the reader
 * follows.
 */
export type StreamEvent =
  | { readonly type: 'row'; readonly row: SessionRow }
  | { readonly type: 'row.removed'; readonly id: string }
  | { readonly type: 'event'; readonly root: string; readonly event: CadreEvent }
  | { readonly type: 'approval.asked'; readonly approval: Approval }
  | { readonly type: 'approval.changed'; readonly approval: Approval }
  | { readonly type: 'problems.changed'; readonly count: number }
  | { readonly type: 'tasks.changed' }
  | { readonly type: 'status' }

/** What a reader of the stream receives. */
export type StreamPart =
  /** Connected. All events after the requested position follow. */
  | { readonly kind: 'open' }
  /** The connection is lost. The reader reconnects automatically. */
  | { readonly kind: 'lost'; readonly why: string }
  /** Pass `id` as `after` to continue exactly here. Streamed text has no id and is not repeated. */
  | { readonly kind: 'event'; readonly id?: string; readonly event: StreamEvent }
  /** The server cannot continue from the given id. Reload everything. The stream continues with later events. */
  | { readonly kind: 'reset' }
  /** The login has too many open streams, so the server has closed this one. Reopen it when the person returns to this page. */
  | { readonly kind: 'parked' }
