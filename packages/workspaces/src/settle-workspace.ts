import type { ReportStatus, SessionSpec, SettledWorkspace } from '@cadre/core'
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
}: Ending): Promise<SettledWorkspace | undefined> {
  const { agent, isolation } = session
  const left = describeLeftovers(state)
  const only = left === undefined ? undefined : { message: left }
  const said = (why?: string) => [describeChanges(state), why, left].filter(Boolean).join(' ')
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
const maxNames = 10

/** Where the changes of a session are, and what to do about them. */
function describeChanges({ session, kind, branch, path, commits, files }: WorkspaceState): string {
  const where = kind === 'worktree' ? `on branch ${branch}` : `in ${path}`
  return `The changes from ${session} are not merged. They are ${where} (${count(commits, 'commit')}, ${count(files.length, 'file')}): inspect them with \`cadre workspace diff ${session}\`, merge them with \`cadre workspace merge ${session}\`.`
}

/** Describes the files that would be lost with a workspace and that Cadre does not merge, if there are any. */
function describeLeftovers(state: WorkspaceState): string | undefined {
  return [describeIgnored(state), describeRepositories(state)].filter(Boolean).join(' ') || undefined
}

function describeIgnored({ session, path, ignored }: WorkspaceState): string | undefined {
  if (ignored.length === 0) return undefined
  return `Git ignores these files from ${session}, and they stay in ${path}: ${listNames(ignored)}. Merge them with \`cadre workspace merge ${session} --include PATH\`, or discard them with \`cadre workspace clean ${session} --force\`.`
}

function describeRepositories({ session, path, repositories }: WorkspaceState): string | undefined {
  if (repositories.length === 0) return undefined
  return `Cadre does not merge these folders from ${session}, because they are repositories or submodules. They stay in ${path}: ${listNames(repositories)}. Copy what you need, then discard them with \`cadre workspace clean ${session} --force\`.`
}

function listNames(names: readonly string[]): string {
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
  return `${names.slice(0, maxNames).join(', ')}${more}`
}
