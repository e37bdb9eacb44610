import type {
  Answer,
  CadreEvent,
  Entry,
  ErrorCode,
  QuestionId,
  RunResult,
  StartRequest,
  StoredSession,
  Work,
} from '@cadre/core'

/** How an order to a tree ended. */
export type RemoteResult =
  | RunResult
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'continued' }

/** A person's change to a session's record. */
export interface RemoteEdit {
  /** Recorded with the edit, in the event `journal.edited`. An edit with a known id has no effect. */
  readonly id: string
  /** The whole new record. */
  readonly entries: readonly Entry[]
  /** The number of the last entry in the record that the edit was applied to. Entries that were recorded since are kept. */
  readonly base: number
  readonly systemPrompt?: string
  readonly summary: string
  /** The session has work after the edit, so a tree that rests is resumed. */
  readonly resumes?: boolean
}

/** `away`: the process that was asked does not run the tree. */
export type RemoteLive =
  | { readonly kind: 'away' }
  | { readonly kind: 'here'; readonly cursor: string; readonly events: readonly CadreEvent[] }

/**
 * Trees that other processes run, as the client of an engine for several machines shows them. Orders resolve when they are stored durably,
 * and are safe to repeat. A method may take as long as no worker is running.
 */
export interface RemoteTrees {
  start(request: StartRequest & { readonly id: string }): Promise<void>
  /** `attempt`: tells it again after the tree has rejected it. */
  tell(
    session: string,
    work: Work & { readonly message: string },
    attempt?: string,
  ): Promise<'queued' | 'missing'>
  /** With options, also resumes a session that was cancelled. `once`: identifies the order, even after a restart of this process. */
  resume(session: string, options?: Record<string, never>, once?: string): Promise<void>
  /** With `root`, needs no worker and does not check whether the session exists. */
  cancel(session: string, reason: string, known?: { readonly root: string }): Promise<boolean>
  answer(question: QuestionId, answer: Answer): Promise<void>
  edit(session: string, edit: RemoteEdit): Promise<void>
  /** The archived record. `refresh` asks a running tree to archive it first. */
  read(session: string): Promise<StoredSession | undefined>
  refresh(session: string): Promise<void>
  /** The archived sessions of a tree. Each has a text that changes whenever its record does. */
  readTree(root: string): Promise<{
    readonly sessions: ReadonlyMap<string, string>
    read(session: string): Promise<StoredSession | undefined>
  }>
  /** Returns events that are not recorded. Waits for news a short time. */
  live(root: string, after: string | undefined, signal: AbortSignal): Promise<RemoteLive>
  state(session: string): Promise<
    | { readonly kind: 'absent' }
    /** `notice`: why it makes no progress. */
    | { readonly kind: 'running'; readonly notice?: string }
    | { readonly kind: 'rested'; readonly result: RemoteResult }
  >
  onRest(listener: (root: string, result: RemoteResult) => void): () => void
  /** Calls the listener when a watched tree has archived its record and still runs. */
  onChange(listener: (root: string) => void): () => void
  /** Calls the listener when another tree has rested or archived its record, and without a root if any of them may have. */
  onOtherChange(listener: (root: string | undefined) => void): () => void
  /** Calls the listener when no worker of the place answers, with the reason, and with `undefined` when one does again. */
  onProblem?(listener: (problem: string | undefined) => void): () => void
  watch(root: string): void
  close(): void
}
