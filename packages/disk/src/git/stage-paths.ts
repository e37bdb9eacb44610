import { accessSync, constants, lstatSync } from 'node:fs'
import path from 'node:path'
import { type GitRequest, git } from './git.ts'

/**
 * Puts these paths into the index as they are in the work tree now; those that are not there any more, or are a folder or
 * something odd by now, are taken out, and those that cannot be read stay as they were.
 */
export async function stagePaths(
  paths: readonly string[],
  request: GitRequest & { readonly workTree: string },
): Promise<void> {
  const kinds = paths.map((name) => [name, kindOf(path.join(request.workTree, name))] as const)
  const named = (wanted: Kind) => kinds.flatMap(([name, kind]) => (kind === wanted ? [name] : []))
  // Before what may stand in their place.
  await update(['--force-remove'], named('no file'), request)
  await update(['--add', '--remove', '--replace'], named('file'), request)
}

async function update(
  options: readonly string[],
  names: readonly string[],
  request: GitRequest,
): Promise<void> {
  if (names.length === 0) return
  const input = names.map((name) => `${name}\0`).join('')
  await git(['update-index', ...options, '-z', '--stdin'], { ...request, input })
}

type Kind = 'file' | 'no file' | 'unreadable'

function kindOf(file: string): Kind {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (stats === undefined || stats.isSymbolicLink()) return 'file'
    if (!stats.isFile()) return 'no file'
    accessSync(file, constants.R_OK)
    return 'file'
  } catch (error) {
    // A file where a folder was: what was in it is gone.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'no file' : 'unreadable'
  }
}
