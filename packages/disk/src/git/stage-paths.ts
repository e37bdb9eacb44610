import { accessSync, constants, lstatSync } from 'node:fs'
import path from 'node:path'
import { entryAt } from '../files/files.ts'
import { type GitRequest, git } from './git.ts'

/**
 * Stages these paths from the work tree. Removes paths that no longer exist or are no longer files. Keeps the index entries of unreadable
 * files.
 */
export async function stagePaths(
  paths: readonly string[],
  request: GitRequest & { readonly workTree: string },
): Promise<void> {
  const { workTree } = request
  const isBeyondLink = createLinkCheck(workTree)
  const kinds = paths.map(
    (name) => [name, isBeyondLink(name) ? 'no file' : kindOf(path.join(workTree, name))] as const,
  )
  const named = (wanted: Kind) => kinds.flatMap(([name, kind]) => (kind === wanted ? [name] : []))
  // First, because another path may replace them.
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

/** Returns whether a folder of a path is a link. Then git tracks the link, and nothing beyond it. */
function createLinkCheck(workTree: string): (name: string) => boolean {
  const known = new Map<string, boolean>([['.', false]])
  const isLinked = (folder: string): boolean => {
    const before = known.get(folder)
    if (before !== undefined) return before
    const found = isLinked(path.posix.dirname(folder)) || isLink(path.join(workTree, folder))
    known.set(folder, found)
    return found
  }
  return (name) => isLinked(path.posix.dirname(name))
}

function isLink(place: string): boolean {
  return entryAt(place)?.isSymbolicLink() === true
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
    // A file replaced the folder, so the path no longer exists.
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'no file' : 'unreadable'
  }
}
