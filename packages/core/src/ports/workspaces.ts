import type { ReportStatus } from './report.ts'
import type { SessionSpec } from './session-spec.ts'

/**
 * How a session is kept apart from others that work at the same time. `own`: it works in the workspace that was made for
 * `session`, itself or one above it. `missing`: `session`, itself or one above it, was to have its own and could not: every
 * change is put before a person.
 */
export type Isolation =
  | {
      readonly kind: 'own'
      readonly session: string
      /**
       * The folder that the workspace was created from. Equal to the workspace for the folder of an agent, which all sessions of the
       * agent share and which is never merged; `session` is then the name of that folder.
       */
      readonly base: string
      /** When it has completed its work, its changes are taken over into that folder at once, if nothing is in the way. */
      readonly returns?: true
    }
  | { readonly kind: 'missing'; readonly session: string; readonly reason: string }

export interface WorkspaceRequest {
  readonly session: string
  /** The entry session of its tree. */
  readonly root: string
  readonly agent: string
  /** The folder the session would share: it begins with what is there now. */
  readonly base: string
  /** Sessions whose results it continues: what they changed is there from the beginning. */
  readonly from?: readonly string[]
}

export type Prepared =
  | { readonly kind: 'ready'; readonly path: string }
  | { readonly kind: 'impossible'; readonly reason: string }

/** Folders of their own for sessions. Must not throw. */
export interface Workspaces {
  /** The workspace of this session, made if it is not there. Asked again for the same session it gives the same one. */
  prepare(request: WorkspaceRequest, signal: AbortSignal): Promise<Prepared>
  /**
   * Asked when a session with a workspace of its own is about to end. What a person, or who delegated to it, has to know about
   * where its changes are; nothing where there are none, or where they are what everybody sees.
   */
  settle(session: SessionSpec, status: ReportStatus): Promise<Settled | undefined>
}

export interface Settled {
  readonly message: string
  /** Its changes did not reach the target folder, so work that continues there would miss them. */
  readonly isMissing?: true
}
