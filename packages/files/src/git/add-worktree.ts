import { setTimeout as pause } from 'node:timers/promises'
import { messageOf } from '@cadre/core'
import { type GitRequest, git } from './git.ts'

const tries = 200

/**
 * Makes a worktree. Git looks at all the others of a repository on the way, and fails where one of them is being made at the same
 * time, by whichever process; that is over in a moment.
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
