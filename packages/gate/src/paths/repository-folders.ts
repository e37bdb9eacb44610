import { readFileSync, type Stats } from 'node:fs'
import path from 'node:path'
import { targetAt } from './with-lookup-cache.ts'

/** Where git stores the files in a folder. In an ordinary repository, both are its `.git`. */
export interface GitFolders {
  /** Files of this worktree only: index, HEAD. */
  readonly own: string
  /** Files shared by all worktrees: objects, refs, config, hooks. */
  readonly common: string
}

interface Known {
  readonly mark: string
  readonly own: string
  readonly common: string
  /** Identifies the version of the file that names the common folder. */
  readonly commonMark: string
}

/** Cached for worktrees: every write needs them, and these files rarely change. */
const known = new Map<string, Known>()

/** Returns undefined if the folder is not the top of a repository or worktree. Never throws. */
export function gitFoldersOf(folder: string): GitFolders | undefined {
  const entry = path.join(folder, '.git')
  try {
    const stats = targetAt(entry)
    if (stats === undefined) return undefined
    if (stats.isDirectory()) return { own: entry, common: entry }
    const mark = markOf(stats)
    const before = known.get(entry)
    if (before?.mark === mark && before.commonMark === commonMarkOf(before.own)) return before
    const target = /^gitdir: (.+?)\s*$/m.exec(readFileSync(entry, 'utf8').slice(0, 8192))?.[1]
    if (target === undefined) return undefined
    const own = path.resolve(folder, target)
    // Taken before reading, so that a later change is noticed.
    const commonMark = commonMarkOf(own)
    const found = { mark, commonMark, own, common: commonOf(own) }
    if (known.size > 1_000) known.clear()
    known.set(entry, found)
    return found
  } catch {
    return undefined
  }
}

function commonOf(own: string): string {
  try {
    return path.resolve(own, readFileSync(path.join(own, 'commondir'), 'utf8').trim())
  } catch {
    return own
  }
}

function commonMarkOf(own: string): string {
  const stats = targetAt(path.join(own, 'commondir'))
  return stats === undefined ? 'none' : markOf(stats)
}

function markOf({ dev, ino, size, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${ctimeMs}`
}
