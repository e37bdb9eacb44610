import { homeOf } from '@cadre/runtime'
import { createWorkspaces, type WorkspaceState } from '@cadre/workspaces'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { availableWidth, textTable } from '../../output/text-table.ts'
import type { WorkspaceFlags } from './find-workspace.ts'

/** `cadre workspace list`. */
export async function listWorkspaces(io: Io, flags: Omit<WorkspaceFlags, 'trust'>): Promise<ExitCode> {
  const home = homeOf(io, flags.home)
  const all = await createWorkspaces({ home }).list()
  if (flags.json) io.stdout.write(`${JSON.stringify(all)}\n`)
  else if (all.length === 0) io.stdout.write(`No session in ${home.path} has its own workspace.\n`)
  else {
    const head = ['SESSION', 'AGENT', 'STATE', 'SESSION IS', 'COMMITS', 'FILES', 'IGNORED', 'WHERE']
    io.stdout.write(textTable(head, all.map(rowOf), availableWidth(io.stdout)))
  }
  return exitCodes.done
}

function rowOf(state: WorkspaceState): string[] {
  const { session, agent, life, commits, files, uncommitted, ignored, kind, branch, path } = state
  const more = uncommitted === 0 ? '' : ` +${uncommitted}`
  const where = kind === 'worktree' ? branch : path
  const counts = [String(commits), `${files.length}${more}`, String(ignored.length)]
  return [session, agent, state.state, life, ...counts, where].map(cleanLine)
}
