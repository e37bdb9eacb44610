import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { tryGit } from '../git/git.ts'
import type { Home } from '../home/open-home.ts'
import { namesIn } from '../names-in.ts'
import { discard } from './prepare-workspace.ts'
import { removeRecord, type WorkspaceRecord } from './workspace-record.ts'

/** Removes a workspace with its branch, whatever is in it. What a crash leaves of that is removed the next time. */
export async function removeWorkspace(home: Home, record: WorkspaceRecord): Promise<void> {
  discard(record)
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
