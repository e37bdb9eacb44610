import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { namesIn, tryGit } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { removeRecord, type WorkspaceRecord } from './workspace-record.ts'

/** Removes a workspace with its branch, whatever it contains. The next call removes leftovers of a crash. */
export async function removeWorkspace(home: Home, record: WorkspaceRecord): Promise<void> {
  rmSync(record.top, { recursive: true, force: true })
  await forgetWorkspace(home, record)
}

/** Removes a workspace without losing anything. Files that were in an agent's folder before stay there. */
export async function removeWithoutLoss(home: Home, record: WorkspaceRecord): Promise<void> {
  if (record.base !== undefined) return removeWorkspace(home, record)
  rmSync(path.join(record.top, '.git'), { force: true })
  await forgetWorkspace(home, record)
}

async function forgetWorkspace(home: Home, record: WorkspaceRecord): Promise<void> {
  if (record.kind === 'repository') rmSync(record.gitDir, { recursive: true, force: true })
  if (record.kind === 'worktree' && existsSync(record.commonDir)) {
    forgetWorktree(record)
    const at = { cwd: home.path, gitDir: record.commonDir }
    await tryGit(['update-ref', '-d', `refs/heads/${record.branch}`], at)
  }
  removeRecord(home, record.session)
}

/**
 * Removes the repository's record of this worktree only: other worktrees may be on a disk that is not mounted, and `git
 * worktree prune` would remove their records.
 */
export function forgetWorktree({ top, commonDir }: WorkspaceRecord): void {
  const folder = path.join(commonDir, 'worktrees')
  const own = [path.join(top, '.git'), path.join(realParent(top), '.git')]
  for (const name of namesIn(folder)) {
    const entry = path.join(folder, name)
    if (own.includes(textOf(path.join(entry, 'gitdir')))) rmSync(entry, { recursive: true, force: true })
  }
}

function realParent(top: string): string {
  try {
    return path.join(realpathSync(path.dirname(top)), path.basename(top))
  } catch {
    return top
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
