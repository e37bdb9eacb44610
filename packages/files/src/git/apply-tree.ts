import { CadreError } from '@cadre/core'
import { type GitRequest, tryGit } from './git.ts'

/**
 * Brings a work tree, and the index of the request, from one tree to another. Files that are not as the first tree has them stay
 * as they are; where that cannot be, or something else is in the way, nothing at all is touched and it rejects with the names.
 */
export async function applyTree(from: string, to: string, request: GitRequest): Promise<void> {
  // What only looks different, because it was touched, is not different.
  await tryGit(['update-index', '-q', '--refresh', '--ignore-submodules'], request)
  const { code, stderr } = await tryGit(['read-tree', '-m', '-u', from, to], request)
  if (code === 0) return
  const said = stderr.replace(/^(error|fatal): /gm, '').trim()
  throw new CadreError('usage', `nothing was changed: ${said.split('\n').slice(0, 5).join(' ')}`, {
    where: request.workTree ?? request.cwd,
  })
}
