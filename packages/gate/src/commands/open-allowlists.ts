import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { type Diagnostic, stampOf } from '@cadre/disk'
import type { TrustItem } from '@cadre/home'
import { type Allowlist, createAllowlist } from './allowlist.ts'
import { askAlwaysAllowlist, readAllowlist } from './read-allowlist.ts'

export interface AllowlistFile {
  readonly path: string
  /** Returns whether the user wrote a pattern, so that it also applies without a sandbox. */
  readonly isOwn?: (pattern: string) => boolean
  /** Absent: the file is the user's own. */
  readonly trusted?: (item: TrustItem) => boolean
}

export interface Allowlists {
  /** The current content of the files: a rule that a person adds applies from the next command. */
  lists(): readonly Allowlist[]
  /** Current problems in the files. */
  diagnostics(): readonly Diagnostic[]
}

interface Read {
  readonly stamp: string
  readonly list: Allowlist
  readonly diagnostics: readonly Diagnostic[]
}

const maxBytes = 1_000_000

/** Allowlists in files that may change during a run. An untrusted list allows nothing, and is not read again until it changes. */
export function openAllowlists(files: readonly AllowlistFile[]): Allowlists {
  const known = new Map<string, Read>()
  const current = (file: AllowlistFile): Read => {
    const stamp = fingerprintFile(file.path)
    const before = known.get(file.path)
    if (before?.stamp === stamp) return before
    const read = { stamp, ...readOne(file, stamp) }
    known.set(file.path, read)
    return read
  }
  return {
    lists() {
      const lists: Allowlist[] = []
      for (const file of files) lists.push(current(file).list)
      return lists
    },
    diagnostics: () => files.flatMap((file) => current(file).diagnostics),
  }
}

function readOne({ path, trusted, isOwn }: AllowlistFile, stamp: string): Omit<Read, 'stamp'> {
  if (stamp === 'none') return { list: createAllowlist([]), diagnostics: [] }
  const fault = (message: string): Omit<Read, 'stamp'> => ({
    list: askAlwaysAllowlist(path),
    diagnostics: [{ path, severity: 'error', code: 'allowlist-unreadable', message }],
  })
  if (stamp === 'odd')
    return fault('This is not a regular file, or it is too large, so every command needs approval.')
  try {
    const text = readFileSync(path, 'utf8')
    const { allowlist, narrowing, diagnostics, widens } = readAllowlist(text, path, isOwn)
    const sha256 = createHash('sha256').update(text).digest('hex')
    if (!widens || trusted === undefined || trusted({ path, sha256 })) return { list: allowlist, diagnostics }
    const message = 'This list is not trusted, so it allows nothing.'
    const untrusted: Diagnostic = { path, severity: 'warning', code: 'untrusted', message }
    return { list: narrowing, diagnostics: [...diagnostics, untrusted] }
  } catch (error) {
    const why = error instanceof Error ? error.message : error
    return fault(`Cannot read this file, so every command needs approval: ${why}.`)
  }
}

/** Returns a fingerprint of a file without reading it; `odd` if it cannot be read. */
function fingerprintFile(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return 'none'
    return stats.isFile() && stats.size <= maxBytes ? stampOf(stats).is : 'odd'
  } catch {
    return 'odd'
  }
}
