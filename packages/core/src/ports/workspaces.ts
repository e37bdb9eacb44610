import type { ReportStatus } from './report.ts'
import type { SessionSpec } from './session-spec.ts'

export interface WorkspaceRequest {
  readonly session: string
  /** The entry session of its tree. */
  readonly root: string
  readonly agent: string
  /** The folder that the session would share. The workspace starts with its current content. */
  readonly base: string
  /** Sessions whose work this one continues. The workspace starts with their changes. */
  readonly from?: readonly string[]
}

export type PreparedIsolation =
  | { readonly kind: 'ready'; readonly path: string }
  | { readonly kind: 'impossible'; readonly reason: string }

/** Gives sessions their own workspaces. Must not throw. */
export interface Workspaces {
  /** Returns a session's workspace, and creates it if necessary. Returns the same one for the same session. */
  prepare(request: WorkspaceRequest, signal: AbortSignal): Promise<PreparedIsolation>
  /**
   * Called when an entry session, or a session with its own workspace, is about to end. Returns where its changes are, for the user and the delegating agent,
   * or nothing if there are no changes or others already see them.
   */
  settle(session: SessionSpec, status: ReportStatus): Promise<SettledWorkspace | undefined>
}

export interface SettledWorkspace {
  readonly message: string
  /** Set if its changes did not reach the target folder, so that work there would miss them. */
  readonly isMissing?: true
}
