import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { hasCode } from '@cadre/disk'

/**
 * Excludes a folder from a repository through `info/exclude`, without changing a tracked file. Worktrees share that file with their
 * repository; submodules have their own. Returns false if that file cannot be read or written.
 */
export function excludeFromGit(root: string, folder: string): boolean {
  try {
    addToExcluded(root, folder)
    return true
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return false
    throw error
  }
}

/** Excludes a folder from git by a file in the folder itself. */
export function excludeFromWithin(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

function addToExcluded(root: string, folder: string): void {
  const directory = gitDirectory(root)
  if (directory === undefined) return
  const file = join(directory, 'info', 'exclude')
  const line = `/${relative(root, folder).split(sep).map(escapePattern).join('/')}/`
  const before = textOf(file) ?? ''
  if (before.split(/\r?\n/).includes(line)) return
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, `${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`)
}

function gitDirectory(root: string): string | undefined {
  const entry = join(root, '.git')
  const stats = statSync(entry, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return entry
  const target = /^gitdir: (.+?)\s*$/m.exec(textOf(entry) ?? '')?.[1]
  if (target === undefined) return undefined
  const directory = resolve(root, target)
  const common = textOf(join(directory, 'commondir'))?.trim()
  return common === undefined ? directory : resolve(directory, common)
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Escapes a name for git's ignore patterns. */
function escapePattern(name: string): string {
  return name.replace(/[\\*?[\]!# ]/g, '\\$&')
}
