import { existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { commitOf, git } from '@cadre/disk'
import type { CheckoutRepository, RemoteRefs } from './checkout-repository.ts'
import { formatOf } from './format-of.ts'

/** A local copy of the repository's default branch, which all checkouts share. */
export interface RepositoryCache {
  readonly gitDir: string
  /** Fetches the default branch, unless the cache has its commit. */
  update(remote: RemoteRefs, signal?: AbortSignal): Promise<void>
}

export function createRepositoryCache(gitDir: string, repository: CheckoutRepository): RepositoryCache {
  let last: Promise<unknown> = Promise.resolve()
  return {
    gitDir,
    update({ refs }, signal) {
      const mine = last.then(async () => {
        const head = refs.get('HEAD')
        if (head === undefined) return
        const at = { cwd: path.dirname(gitDir), gitDir, signal }
        if (!existsSync(path.join(gitDir, 'HEAD'))) {
          rmSync(gitDir, { recursive: true, force: true })
          mkdirSync(path.dirname(gitDir), { recursive: true })
          await git(['init', '-q', '--bare', ...formatOf(head), '--', gitDir], { cwd: path.dirname(gitDir) })
        }
        if ((await commitOf(head, at)) === undefined) await repository.fetch(['+HEAD:refs/cadre/head'], at)
      })
      last = mine.catch(() => {})
      return mine
    },
  }
}
