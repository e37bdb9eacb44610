import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { namesIn, tryGit } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { removeRecord, type WorkspaceRecord } from './workspace-record.ts'

/** Removes a workspace with its branch, whatever is in it. What a crash leaves of that is removed the next time. */
export async function removeWorkspace(home: Home, record: WorkspaceRecord): Promise<void> {
  rmSync(record.top, { recursive: true, force: true })
  await forgetWorkspace(home, record)
}

/** Removes a workspace in which nothing would be lost. Files that were in the folder of an agent before stay there. */
export async function leaveWorkspace(home: Home, record: WorkspaceRecord): Promise<void> {
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
 * Takes out of a repository what it knows of this worktree, and of no other: those of a person may lie on a disk that is not
 * there just now, and git's own tidying up would forget them.
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
