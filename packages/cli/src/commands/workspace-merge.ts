import type { MergeResult } from '@cadre/files'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { findWorkspace, indented, requireRest, type WorkspaceFlags } from './workspace-here.ts'

export interface MergeFlags extends WorkspaceFlags {
  readonly noCommit?: boolean
}

/** `cadre workspace merge`. */
export async function mergeOfWorkspace(io: Io, flags: MergeFlags, named: string): Promise<ExitCode> {
  const { workspaces, owner } = await findWorkspace(io, flags, named)
  const state = await workspaces.state(owner)
  requireRest(state)
  const result = await workspaces.merge(owner, { commit: flags.noCommit !== true })
  const { kind, ...rest } = result
  const target = state.target ?? ''
  if (flags.json) io.stdout.write(`${JSON.stringify({ session: owner, target, result: kind, ...rest })}\n`)
  else io.stdout.write(`${mergeLines(owner, target, result).map(indented).join('\n')}\n`)
  return kind === 'merged' || kind === 'nothing' ? exitCodes.done : exitCodes.failed
}

function mergeLines(session: string, target: string, result: MergeResult): string[] {
  switch (result.kind) {
    case 'nothing':
      return [`Nothing of ${session} is left to merge into ${target}.`]
    case 'merged': {
      const { files, commit } = result
      const made =
        commit === undefined ? 'Nothing was committed.' : `It is the commit ${commit.slice(0, 10)}.`
      return [`Merged into ${target}:`, ...files.map((name) => `  ${name}`), made]
    }
    case 'conflicts':
      return [
        `Nothing was touched: these files were changed in ${target} as well, in the same places.`,
        ...result.files.map((name) => `  ${name}`),
        `See what the session did with: cadre workspace diff ${session}`,
      ]
    case 'dirty':
      return [
        `Nothing was touched: these files have changes in ${target} that are not committed.`,
        ...result.files.map((name) => `  ${name}`),
        'Commit them, or put them aside with `git stash -u`, and merge again.',
      ]
  }
}
