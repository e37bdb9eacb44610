import { readFileSync, type Stats } from 'node:fs'
import path from 'node:path'
import { targetAt } from './one-look.ts'

/** Where git keeps what belongs to a folder. For a plain repository both are its `.git`. */
export interface GitFolders {
  /** What is this worktree's alone: index, HEAD. */
  readonly own: string
  /** What all worktrees share: objects, refs, config, hooks. */
  readonly common: string
}

interface Known {
  readonly mark: string
  readonly own: string
  readonly common: string
  /** Of the file that says where the common folder is. */
  readonly commonMark: string
}

/** Of worktrees: every write asks, and these files hardly ever change. */
const known = new Map<string, Known>()

/** Nothing when the folder is not the top of a repository or a worktree. Never throws. */
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
    // Looked at first: what changes afterwards is then read again.
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
