import type { ReportStatus, SessionSpec, Settled } from '@cadre/core'
import type { MergeResult } from './merge-workspace.ts'
import { shownChanges, shownLeft } from './shown-changes.ts'
import type { WorkspaceState } from './workspace-state.ts'

export interface Ending {
  readonly session: SessionSpec
  readonly status: ReportStatus
  /** Of its workspace, with everything in it committed. */
  readonly state: WorkspaceState
  /** Takes its changes over into the folder it began with. */
  readonly merge: () => Promise<MergeResult>
}

/** Takes the changes of a session over, if it is to give them back, and says what a person has to know about them. */
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
    return { message: said(`They were not taken over, because ${agent.name} did not complete its work.`) }
  const merged = await merge()
  if (merged.kind === 'merged' || merged.kind === 'nothing') return only
  const files = merged.files.join(', ')
  return {
    message: said(`They were not taken over, because others have changed the same: ${files}.`),
    isMissing: true,
  }
}
