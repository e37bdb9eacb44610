import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { ConfinedPath } from '../files/confine-path.ts'
import { openRegularFile } from '../files/open-file.ts'
import { ignoreRules } from './ignore-rules.ts'
import { withPinnedFolder } from './with-pinned-folder.ts'

type Ignores = (path: string, isFolder: boolean) => boolean

/**
 * Yields files below a folder, sorted, as paths relative to `root` with `/`. Skips git-ignored files and `.git`. Links are
 * not followed: they could lead outside the workspace or in cycles.
 */
export async function* walkFolder(root: string, below: string, signal: AbortSignal): AsyncGenerator<string> {
  let ignores: Ignores = () => false
  let folder = ''
  ignores = await withRulesOf(root, folder, ignores)
  for (const name of below.split('/').filter((part) => part !== '' && part !== '.')) {
    folder = folder === '' ? name : `${folder}/${name}`
    ignores = await withRulesOf(root, folder, ignores)
  }
  yield* files(root, folder, ignores, signal)
}

async function* files(
  root: string,
  folder: string,
  ignores: Ignores,
  signal: AbortSignal,
): AsyncGenerator<string> {
  signal.throwIfAborted()
  // A folder that is unreadable or deleted is treated as empty.
  const entries = await withPinnedFolder(path.join(root, folder), (base) =>
    readdir(base, { withFileTypes: true }),
  ).catch(() => [])
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.name === '.git' || ignores(at, entry.isDirectory())) continue
    if (entry.isFile()) yield at
    else if (entry.isDirectory()) yield* files(root, at, await withRulesOf(root, at, ignores), signal)
  }
}

/** Reads no other rules, such as `.git/info/exclude`. As in git, a `.gitignore` that is a link has no effect. */
async function withRulesOf(root: string, folder: string, outer: Ignores): Promise<Ignores> {
  const shown = path.posix.join(folder, '.gitignore')
  const text = await textOf({ root, shown, real: path.join(root, shown) })
  if (text === undefined) return outer
  const rules = ignoreRules(text)
  const prefix = folder === '' ? 0 : folder.length + 1
  return (at, isFolder) => rules(at.slice(prefix), isFolder) ?? outer(at, isFolder)
}

async function textOf(file: ConfinedPath): Promise<string | undefined> {
  try {
    await using opened = await openRegularFile(file)
    return await opened.handle.readFile('utf8')
  } catch {
    return undefined
  }
}
