import { rmSync } from 'node:fs'
import path from 'node:path'
import { CadreError, messageOf } from '@cadre/core'
import { type GitRequest, git, gitError, tryGit } from './git.ts'
import { changedEntries } from './tree-of-entries.ts'

/**
 * Moves a work tree, and the index of the request, from one tree to another. Files that differ from the first tree keep their
 * content. If that is impossible, another file already exists there, or the disk is full, it changes nothing and rejects with the names.
 */
export async function applyTree(
  from: string,
  to: string,
  request: GitRequest & { readonly workTree: string },
): Promise<void> {
  // Ignore files whose timestamp changed but not their content.
  await tryGit(['update-index', '-q', '--refresh', '--ignore-submodules'], request)
  const change = ['read-tree', '-m', '-u']
  const tried = await tryGit([...change, '-n', from, to], request)
  if (tried.code !== 0)
    throw new CadreError('usage', `nothing was changed: ${reasonIn(tried.stderr)}`, {
      where: request.workTree,
    })
  const { code, stderr } = await tryGit([...change, from, to], request)
  if (code === 0) return
  await rollBack(from, to, request, reasonIn(stderr))
  throw gitError(`nothing was changed: ${reasonIn(stderr)}`, stderr, request)
}

/** Nothing was in the way, so writing failed. Some files may be written, one of them partly. */
async function rollBack(
  from: string,
  to: string,
  request: GitRequest & { readonly workTree: string },
  reason: string,
): Promise<void> {
  const changed = await changedEntries(from, to, request)
  // New files first: removing them frees disk space for the others.
  for (const { name, before } of changed)
    if (before === undefined) rmSync(path.join(request.workTree, name), { force: true })
  const input = changed.flatMap(({ name, before }) => (before === undefined ? [] : `${name}\0`)).join('')
  try {
    await git(['checkout-index', '-f', '-q', '-z', '--stdin'], { ...request, input })
  } catch (error) {
    const names = changed.map(({ name }) => name).join(', ')
    throw new CadreError(
      'agent_execution',
      `cannot apply the changes: ${reason}. Cadre could not restore the files either (${messageOf(error)}). These files may be incomplete: ${names}`,
      { where: request.workTree, cause: error },
    )
  }
}

function reasonIn(stderr: string): string {
  const said = stderr.replace(/^(error|fatal): /gm, '').trim()
  return said.split('\n').slice(0, 5).join(' ')
}
