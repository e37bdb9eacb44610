import type {
  Answer,
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
  readonly entries: readonly Entry[]
  /** The number of the last entry that the person saw. */
  readonly base: number
  readonly systemPrompt?: string
  readonly summary: string
}

/**
 * Trees that other processes run, as the client of an engine for several machines shows them. Orders resolve when they are stored durably,
 * and are safe to repeat. A method may take as long as no worker is running.
 */
export interface RemoteTrees {
  start(request: StartRequest & { readonly id: string }): Promise<void>
  tell(session: string, work: Work & { readonly message: string }): Promise<'queued' | 'missing'>
  resume(session: string): Promise<void>
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
  state(session: string): Promise<
    | { readonly kind: 'absent' }
    /** `notice`: why it makes no progress. */
    | { readonly kind: 'running'; readonly notice?: string }
    | { readonly kind: 'rested'; readonly result: RemoteResult }
  >
  onRest(listener: (root: string, result: RemoteResult) => void): () => void
  /** Calls the listener when a watched tree has archived its record and still runs. */
  onChange(listener: (root: string) => void): () => void
  watch(root: string): void
  close(): void
}
