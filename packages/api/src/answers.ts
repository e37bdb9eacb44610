import type { Entry, JsonObject } from '@cadre/core'
import type { SessionRow } from './session-row.ts'

export type Role = 'viewer' | 'operator' | 'approver' | 'admin'

/** One page of a list. `at` is the stream's position. Pass `next` as `after` to get the next page; it is absent on the last page. */
export interface Page<T> {
  readonly at: string
  readonly next?: string
  readonly items: readonly T[]
}

export interface Login {
  /** The second half of the credential. Send it as `x-cadre-key` with every request. */
  readonly key: string
  readonly by: string
  readonly roles: readonly Role[]
}

export interface Me {
  readonly by: string
  readonly roles: readonly Role[]
  readonly home: string
  /** The path for `--home`, if a command in the server's folder would find another home. */
  readonly homeFlag?: string
  readonly version: string
  /** False if no daemon is running. The page can then only show data and decide approvals. */
  readonly daemon: boolean
  /** True if nobody can change anything or decide approvals. */
  readonly readOnly: boolean
  /** False if commands run without a sandbox. The page explains what that means for approvals. */
  readonly sandbox: boolean
}

/** A session's header, without its prompt. */
export interface SessionDetail {
  readonly row: SessionRow
  readonly work: string
  readonly chain: readonly string[]
  readonly targets: readonly string[]
  readonly workspace: string
  readonly isolated: boolean
  readonly limits: JsonObject
  readonly controls: JsonObject
  readonly startedBy?: string
  /** The process that runs the session. */
  readonly owner?: { readonly pid: number; readonly here: boolean }
  readonly report?: JsonObject
  readonly handoffs: readonly { readonly label: string; readonly agent: string; readonly prompt: string }[]
}

export interface EntriesPage {
  readonly at: string
  readonly total: number
  /** In journal order. */
  readonly entries: readonly Entry[]
  /** Pass it as `before` to get earlier entries. */
  readonly before?: number
  readonly etag: string
}

export interface TreeAnswer {
  readonly at: string
  /** Parents before children. */
  readonly rows: readonly SessionRow[]
}

/** What a rewind removes, and what remains on disk. */
export interface RewindResult {
  /** The first removed entry. Lower than the requested number if that entry is in the middle of a round whose calls have run. */
  readonly seq: number
  /** The number of removed entries. */
  readonly removed: number
  /** Sessions that the removed calls started. They are kept. */
  readonly children: readonly string[]
  /** Commits in the session's own workspace with changes by the removed calls, newest first. They are kept. */
  readonly commits: readonly {
    readonly commit: string
    readonly call: string
    readonly files: readonly string[]
  }[]
  /** If the session does not have its own workspace: files that the removed calls wrote. They do not change. Changes by commands are not included. */
  readonly files: readonly string[]
}

export interface TaskItem {
  readonly id: string
  readonly file: string
  readonly line: number
  readonly title: string
  readonly state: 'open' | 'running' | 'waiting' | 'done' | 'failed' | 'skipped'
  readonly marker: string
  readonly agent?: string
  readonly priority?: string
  readonly dependencies: readonly string[]
  /** Unfinished tasks that block this one. */
  readonly blockedBy: readonly string[]
  readonly session?: string
  readonly fields: { readonly [name: string]: string }
  /** The file's ETag: send it as `If-Match` with a change. */
  readonly etag: string
}

export interface TaskChange {
  readonly state?: TaskItem['state']
  readonly priority?: string
  readonly title?: string
  readonly agent?: string
}

export interface NewTask {
  readonly title: string
  readonly file?: string
  readonly agent?: string
  readonly priority?: string
  readonly dependencies?: readonly string[]
}

export interface WorkspaceItem {
  readonly session: string
  readonly agent: string
  readonly kind: string
  readonly path: string
  readonly branch?: string
  readonly target?: string
  readonly life: string
  readonly state: string
  readonly commits: number
  readonly files: readonly string[]
  readonly uncommitted: number
  readonly created: string
}

/** A commit in a workspace. Lists are sorted by age, oldest first. */
export interface WorkspaceStep {
  readonly commit: string
  readonly subject: string
  readonly session?: string
  readonly call?: string
  /** The commits that this one undoes. */
  readonly undoes: readonly string[]
}

export interface Forecast {
  readonly session: string
  readonly with: readonly {
    /** Another session that has its own workspace, or `target` for the branch that this workspace would be merged into. */
    readonly session: string
    readonly files: readonly string[]
    readonly conflicts: readonly string[]
  }[]
}

export interface ProblemItem {
  readonly file: string
  readonly line?: number
  readonly severity: 'error' | 'warning' | 'info'
  readonly code?: string
  readonly message: string
  readonly fix?: string
}

export interface SearchHit {
  readonly kind: 'session' | 'task' | 'memory' | 'approval'
  readonly id: string
  readonly title: string
  /** The text around the match. */
  readonly excerpt: string
  readonly at?: string
  /** The address at which the page shows it. */
  readonly url: string
}

export interface Started {
  readonly id: string
}

export interface Person {
  readonly name: string
  readonly roles: readonly Role[]
}

/** A problem as in RFC 9457. `code` is a `CadreError`'s code. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail?: string
  readonly code?: string
}

/** An approval's change to a file. */
export interface ApprovalDiff {
  readonly patch: string
  /** The SHA-256 hash of the file that the patch applies to. */
  readonly base?: string
  readonly note?: string
}
