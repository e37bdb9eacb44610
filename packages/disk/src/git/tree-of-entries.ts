import { rmSync } from 'node:fs'
import { type GitRequest, git } from './git.ts'

/** A file in a tree: its mode and the id of its content. */
export interface TreeEntry {
  readonly name: string
  readonly mode: string
  readonly object: string
}

export interface ChangedEntry {
  readonly name: string
  /** Absent when the file does not exist on this side. */
  readonly before?: TreeEntry
  readonly after?: TreeEntry
}

const absent = '000000'

/** The files that differ between two commits or trees, with both sides of each. */
export async function changedEntries(
  from: string,
  to: string,
  request: GitRequest,
): Promise<readonly ChangedEntry[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', '--ignore-submodules=none']
  const parts = (await git([...args, '--end-of-options', from, to], request)).split('\0')
  const entries: ChangedEntry[] = []
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [before = absent, after = absent, old = '', now = ''] = (parts[i] as string).slice(1).split(' ')
    const name = parts[i + 1] as string
    entries.push({
      name,
      ...(before !== absent && { before: { name, mode: before, object: old } }),
      ...(after !== absent && { after: { name, mode: after, object: now } }),
    })
  }
  return entries
}

/** Runs `work` with an index that contains only these files. */
export async function withIndexOf<T>(
  entries: readonly TreeEntry[],
  request: GitRequest & { readonly index: string },
  work: () => Promise<T>,
): Promise<T> {
  rmSync(request.index, { force: true })
  try {
    const input = entries.map(({ mode, object, name }) => `${mode} ${object}\t${name}\0`).join('')
    await git(['update-index', '-z', '--index-info'], { ...request, input })
    return await work()
  } finally {
    rmSync(request.index, { force: true })
  }
}

/** The tree without these files. */
export async function treeWithout(
  tree: string,
  names: readonly string[],
  request: GitRequest & { readonly index: string },
): Promise<string> {
  rmSync(request.index, { force: true })
  try {
    await git(['read-tree', tree], request)
    const input = names.map((name) => `${name}\0`).join('')
    await git(['update-index', '--force-remove', '-z', '--stdin'], { ...request, input })
    return (await git(['write-tree'], request)).trim()
  } finally {
    rmSync(request.index, { force: true })
  }
}
