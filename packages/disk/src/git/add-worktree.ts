import { setTimeout as pause } from 'node:timers/promises'
import { messageOf } from '@cadre/core'
import { type GitRequest, git } from './git.ts'

const tries = 200

/**
 * Creates a worktree. Git checks all other worktrees of the repository first, and fails while another process is creating one.
 * That passes quickly, so this retries.
 */
export async function addWorktree(args: readonly string[], request: GitRequest): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await git(['worktree', 'add', '-q', ...args], request)
      return
    } catch (error) {
      if (
        attempt === tries ||
        !/failed to read \S+\/worktrees\/|unable to resolve HEAD/.test(messageOf(error))
      )
        throw error
      await pause(25)
    }
  }
}
