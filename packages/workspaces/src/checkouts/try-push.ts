import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { CadreError, messageOf } from '@cadre/core'
import { git } from '@cadre/disk'
import type { CheckoutRepository } from './checkout-repository.ts'
import { formatOf } from './format-of.ts'

/**
 * Rejects if this machine may not push to the repository. Sends nothing to it. So hooks and rules of the server do not run, and can still
 * refuse a push. `head`: a commit of the repository.
 */
export async function tryPush(
  repository: CheckoutRepository,
  head: string,
  signal?: AbortSignal,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-push-'))
  try {
    await git(['init', '-q', '--bare', ...formatOf(head), '--', folder], { cwd: folder, signal })
    const at = { cwd: folder, gitDir: folder, signal }
    const tree = (await git(['write-tree'], at)).trim()
    const commit = (await git(['commit-tree', tree, '-m', 'A test'], at)).trim()
    const ref = `refs/cadre/trees/doctor-${randomUUID()}`
    await repository.push([{ ref, commit, expected: undefined }], { ...at, isTrial: true })
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  requireWritable(repository.shown)
}

/** Git finds out only during a real push whether it may write to a folder. */
function requireWritable(address: string): void {
  const top = /^file:\/\//i.test(address) ? fileURLToPath(address) : address
  if (!path.isAbsolute(top)) return
  const folder = [top, path.join(top, '.git')].find((one) => existsSync(path.join(one, 'objects')))
  if (folder === undefined) return
  for (const name of ['objects', 'refs'])
    try {
      accessSync(path.join(folder, name), constants.W_OK)
    } catch (error) {
      throw new CadreError('backend', `cannot push to ${address}: ${messageOf(error)}`, { cause: error })
    }
}
