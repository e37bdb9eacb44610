import { mergeWorkspaceJson } from '@cadre/runtime'
import type { MergeResult } from '@cadre/workspaces'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { findWorkspace, indentLine, type WorkspaceFlags } from './find-workspace.ts'

export interface MergeFlags extends WorkspaceFlags {
  readonly noCommit?: boolean
  readonly include?: readonly string[]
}

/** `cadre workspace merge`. */
export async function mergeSessionWorkspace(io: Io, flags: MergeFlags, named: string): Promise<ExitCode> {
  const { workspaces, owner } = await findWorkspace(io, flags, named)
  const { result, json } = await mergeWorkspaceJson(workspaces, owner, {
    commit: flags.noCommit !== true,
    include: flags.include ?? [],
  })
  const { kind } = result
  const { target, left, repositories } = json
  if (flags.json) io.stdout.write(`${JSON.stringify(json)}\n`)
  else {
    const lines = [
      ...mergeLines(owner, target, result),
      ...leftLines(owner, left),
      ...repositoryLines(owner, repositories),
    ]
    io.stdout.write(`${lines.map(indentLine).join('\n')}\n`)
  }
  return kind === 'merged' || kind === 'nothing' ? exitCodes.done : exitCodes.failed
}

function mergeLines(session: string, target: string, result: MergeResult): string[] {
  switch (result.kind) {
    case 'nothing':
      return [`${session} has nothing left to merge into ${target}.`]
    case 'merged': {
      const { files, commit, ignored = [] } = result
      const why = ignored.length === files.length ? ', because git ignores these files' : ''
      const made = commit === undefined ? `Not committed${why}.` : `Commit: ${commit.slice(0, 10)}`
      const apart = commit !== undefined && ignored.length > 0
      const not = apart
        ? [`Merged without a commit, because git ignores these files: ${ignored.join(', ')}`]
        : []
      return [`Merged into ${target}:`, ...files.map((name) => `  ${name}`), made, ...not]
    }
    case 'conflicts':
      return [
        `Nothing was merged. These files have conflicting changes in ${target}:`,
        ...result.files.map((name) => `  ${name}`),
        `See the session's changes with: cadre workspace diff ${session}`,
      ]
    case 'dirty':
      return [
        `Nothing was merged. These files have uncommitted changes in ${target}:`,
        ...result.files.map((name) => `  ${name}`),
        'Commit them or run "git stash -u", then merge again.',
      ]
  }
}

/** Files that stay in the workspace and would be lost with it. */
function leftLines(session: string, left: readonly string[]): string[] {
  if (left.length === 0) return []
  return [
    'Not merged, because git ignores these files and no tool named them:',
    ...left.map((name) => `  ${name}`),
    `Merge them with: cadre workspace merge ${session} --include ${left[0]}`,
    `Discard them with: cadre workspace clean ${session} --force`,
  ]
}

function repositoryLines(session: string, repositories: readonly string[]): string[] {
  if (repositories.length === 0) return []
  return [
    'Not merged, because these folders are repositories or submodules:',
    ...repositories.map((name) => `  ${name}`),
    `Copy what you need, then discard them with: cadre workspace clean ${session} --force`,
  ]
}
