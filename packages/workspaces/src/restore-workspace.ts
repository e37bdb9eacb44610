import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { isInside, realPathOf, repositoryAt, tryGit } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { forgetWorktree } from './remove-workspace.ts'
import { gitInRepository, gitInWorkspace } from './workspace-git.ts'
import { indexFile, type WorkspaceRecord, writeRecord } from './workspace-record.ts'

/** Recreates the folder of a workspace, with all its commits. Resolves with false if that is impossible. */
export async function restoreWorkspace(
  home: Home,
  record: WorkspaceRecord,
  signal: AbortSignal,
): Promise<boolean> {
  if (!existsSync(record.commonDir)) return false
  const restored = await (record.kind === 'worktree' ? addWorktree : checkOut)(home, record, signal)
  if (restored === undefined) return false
  requireConfined(restored)
  mkdirSync(restored.path, { recursive: true })
  writeRecord(home, restored)
  return true
}

/** Rejects a workspace if a link in it points outside. Others may have made its commits, and agents can make links. */
export function requireConfined({ session, top, path: folder }: WorkspaceRecord): void {
  if (isInside(realPathOf(top), realPathOf(folder))) return
  throw new CadreError(
    'configuration',
    `${session} cannot work in ${folder}, because a link there points outside its workspace. Replace the link with a folder.`,
  )
}

async function addWorktree(
  home: Home,
  record: WorkspaceRecord,
  signal: AbortSignal,
): Promise<WorkspaceRecord | undefined> {
  const { top, tip, branch, commonDir, session } = record
  forgetWorktree(record)
  const at = await gitInRepository({ gitDir: commonDir, top }, home.path, signal)
  // The branch may have been moved or deleted together with the folder.
  await tryGit(['update-ref', `refs/heads/${branch}`, tip], at)
  const { code } = await tryGit(['worktree', 'add', '-q', '-f', top, branch], { ...at, workTree: undefined })
  const made = code === 0 ? repositoryAt(top) : undefined
  if (made === undefined) return undefined
  copyFileSync(path.join(made.gitDir, 'index'), indexFile(home, session))
  return { ...record, gitDir: made.gitDir }
}

async function checkOut(
  home: Home,
  record: WorkspaceRecord,
  signal: AbortSignal,
): Promise<WorkspaceRecord | undefined> {
  const { top, gitDir, tip, session } = record
  const index = indexFile(home, session)
  mkdirSync(top, { recursive: true })
  writeFileSync(path.join(top, '.git'), `gitdir: ${gitDir}\n`)
  rmSync(index, { force: true })
  const { code } = await tryGit(['read-tree', '-m', '-u', tip], await gitInWorkspace(home, record, signal))
  return code === 0 ? record : undefined
}
