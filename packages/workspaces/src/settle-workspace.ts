import type { ReportStatus, SessionSpec, Settled } from '@cadre/core'
import type { MergeResult } from './merge-workspace.ts'
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

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
const mostNames = 10

/** Where the changes of a session are, and what to do about them. */
function shownChanges({ session, kind, branch, path, commits, files }: WorkspaceState): string {
  const where = kind === 'worktree' ? `on branch ${branch}` : `in ${path}`
  return `The changes of ${session} are not merged. They are ${where} (${count(commits, 'commit')}, ${count(files.length, 'file')}): inspect them with \`cadre workspace diff ${session}\`, merge them with \`cadre workspace merge ${session}\`.`
}

/** Describes the files that would be lost with a workspace and that Cadre does not merge, if there are any. */
function shownLeft(state: WorkspaceState): string | undefined {
  return [shownIgnored(state), shownRepositories(state)].filter(Boolean).join(' ') || undefined
}

function shownIgnored({ session, path, ignored }: WorkspaceState): string | undefined {
  if (ignored.length === 0) return undefined
  return `Git ignores these files of ${session}, and they stay in ${path}: ${shownNames(ignored)}. Merge them with \`cadre workspace merge ${session} --include PATH\`, or discard them with \`cadre workspace clean ${session} --force\`.`
}

function shownRepositories({ session, path, repositories }: WorkspaceState): string | undefined {
  if (repositories.length === 0) return undefined
  return `These folders of ${session} are repositories or submodules, which Cadre does not merge, and they stay in ${path}: ${shownNames(repositories)}. Copy what you need, then discard them with \`cadre workspace clean ${session} --force\`.`
}

function shownNames(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  return `${names.slice(0, mostNames).join(', ')}${more}`
}
