import type { ReportStatus, SessionSpec, Settled } from '@cadre/core'
import type { MergeResult } from './merge-workspace.ts'
import { shownChanges, shownLeft } from './shown-changes.ts'
import type { WorkspaceState } from './workspace-state.ts'

export interface Ending {
  readonly session: SessionSpec
  readonly status: ReportStatus
  /** The state of its workspace, with all changes committed. */
  readonly state: WorkspaceState
  /** Merges its changes into the folder it was created from. */
  readonly merge: () => Promise<MergeResult>
}

/** Merges the changes of a session into its parent's folder if it should, and reports where they are. */
export async function settleWorkspace({
  session,
  status,
  state,
  merge,
}: Ending): Promise<Settled | undefined> {
  const { agent, isolation } = session
  const left = shownLeft(state)
  const only = left === undefined ? undefined : { message: left }
  const said = (why?: string) => [shownChanges(state), why, left].filter(Boolean).join(' ')
  if (state.state === 'empty' || state.state === 'merged') return only
  if (isolation?.kind !== 'own' || isolation.returns !== true) return { message: said() }
  if (status !== 'completed')
    return { message: said(`They were not merged, because ${agent.name} did not complete its work.`) }
  const merged = await merge()
  if (merged.kind === 'merged' || merged.kind === 'nothing') return only
  const files = merged.files.join(', ')
  return {
    message: said(`They were not merged, because they conflict with other changes: ${files}.`),
    isMissing: true,
  }
}
