/**
 * Watches the folders of a home, and reports files that were created, deleted or changed, once they have been unchanged for a moment.
 *
 * 1. Every change is reported at least once, from a system event or the next scan of names and stamps. Reports may be repeated, and may be
 *    without a change.
 * 2. A file that keeps changing is reported at intervals.
 * 3. Folders may be created and deleted. A new one is scanned completely.
 * 4. Nothing throws. A folder that the system cannot watch is scanned more often, and reported once.
 */
import { type FSWatcher, statSync, watch } from 'node:fs'
import path from 'node:path'
import { messageOf } from '@cadre/core'
import { namesIn, stampOf } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { ChangeDebouncer } from './change-debouncer.ts'

export interface WatchHomeOptions {
  readonly home: Home
  /** Relative to the home, with `/`. `.` is the home itself. Subfolders are not watched. */
  readonly folders: readonly string[]
  readonly settleMs: number
  /** Milliseconds between scans, with and without system events. */
  readonly scanMs?: number
  readonly unwatchedScanMs?: number
  /** Receives the changed files of one folder, relative to the home. */
  readonly changed: (folder: string, files: readonly string[]) => void
  /** Receives the reason why a folder cannot be watched, or `undefined` when it is watched again. */
  readonly failed: (folder: string, why: string | undefined) => void
  /** For tests: a system without events. */
  readonly watch?: typeof watch
}

export interface HomeWatch {
  /** Resolves when every folder is watched and scanned. */
  start(): Promise<void>
  stop(): void
}

interface Watched {
  readonly folder: string
  readonly isWanted: boolean
  watcher: FSWatcher | undefined
  /** The identity of the folder, because another folder can get its name. */
  identity: string | undefined
  failure: string | undefined
  /** The stamp of each file at its last report, by name. */
  stamps: Map<string, string>
  scannedAt: number
}

/** How many files are scanned per turn of the event loop. */
const filesPerTurn = 500

export function watchHome(options: WatchHomeOptions): HomeWatch {
  const { home, settleMs, scanMs = 30_000, unwatchedScanMs = 1000 } = options
  const startWatch = options.watch ?? watch
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const watched = new Map<string, Watched>()
  for (const folder of withParents(options.folders)) {
    const isWanted = options.folders.includes(folder)
    const stamps = new Map<string, string>()
    watched.set(folder, {
      folder,
      isWanted,
      watcher: undefined,
      identity: undefined,
      failure: undefined,
      stamps,
      scannedAt: 0,
    })
  }
  const settling = new ChangeDebouncer(settleMs, (keys) => {
    const byFolder = new Map<string, string[]>()
    for (const key of keys) {
      const [folder, name] = split(key)
      const one = watched.get(folder)
      if (one !== undefined) remember(one, name, stampAt(pathOf(folder, name)))
      byFolder.set(folder, [...(byFolder.get(folder) ?? []), nameOf(folder, name)])
    }
    for (const [folder, files] of byFolder) options.changed(folder, files)
  })
  const pathOf = (folder: string, name = '') => path.join(home.path, folder, name)
  const tell = (one: Watched, name: string) => {
    if (one.isWanted && isWatchedName(name)) settling.touch(`${one.folder}\0${name}`)
  }

  const fail = (one: Watched, why: string | undefined) => {
    if (one.failure === why) return
    one.failure = why
    options.failed(one.folder, why)
  }
  /** Checks whether the watched folder still has this name. If not, watches the new one. */
  const attach = (one: Watched): 'same' | 'new' | 'absent' => {
    const identity = identityOf(pathOf(one.folder))
    if (identity !== undefined && identity === one.identity && one.watcher !== undefined) return 'same'
    one.watcher?.close()
    one.watcher = undefined
    const isNew = identity !== one.identity
    one.identity = identity
    if (identity === undefined) {
      fail(one, undefined)
      return 'absent'
    }
    try {
      const watcher = startWatch(pathOf(one.folder), { persistent: false }, (_, name) => {
        if (isStopped) return
        if (name === null) void look(one)
        else heard(one, name)
      })
      watcher.on('error', (error) => {
        watcher.close()
        if (one.watcher === watcher) one.watcher = undefined
        fail(one, messageOf(error))
      })
      one.watcher = watcher
      fail(one, undefined)
    } catch (error) {
      fail(one, messageOf(error))
    }
    return isNew ? 'new' : 'same'
  }
  const heard = (one: Watched, name: string) => {
    tell(one, name)
    // A subfolder, or this folder itself, may have been created or deleted.
    const below = watched.get(one.folder === '.' ? name : `${one.folder}/${name}`)
    if (below !== undefined) void renew(below)
    if (name !== path.posix.basename(one.folder)) return
    one.identity = undefined
    void renew(one)
  }
  const renew = async (one: Watched) => {
    if (isStopped || attach(one) === 'same') return
    await look(one)
    for (const other of watched.values())
      if (other !== one && other.folder.startsWith(`${one.folder}/`)) await renew(other)
  }
  /** Compares names and stamps with the known ones. `quietly`: reports nothing. */
  const look = async (one: Watched, quietly = false): Promise<void> => {
    one.scannedAt = Date.now()
    if (!one.isWanted) return
    let names: readonly string[]
    try {
      names = namesIn(pathOf(one.folder)).filter(isWatchedName)
    } catch {
      // Keep the known stamps, and try again soon.
      one.scannedAt = 0
      return
    }
    const there = new Set(names)
    for (const name of one.stamps.keys()) {
      if (there.has(name)) continue
      one.stamps.delete(name)
      if (!quietly) tell(one, name)
    }
    const start = pathOf(one.folder) + path.sep
    for (const [index, name] of names.entries()) {
      if (index % filesPerTurn === filesPerTurn - 1) await new Promise((resolve) => setImmediate(resolve))
      if (isStopped) return
      const stamp = stampAt(start + name)
      if (stamp === one.stamps.get(name)) continue
      remember(one, name, stamp)
      if (!quietly) tell(one, name)
    }
  }
  const scanAll = async () => {
    const now = Date.now()
    for (const one of watched.values()) {
      const every = one.watcher === undefined && one.identity !== undefined ? unwatchedScanMs : scanMs
      if (Math.abs(now - one.scannedAt) < every) continue
      attach(one)
      await look(one)
    }
    if (!isStopped) timer = setTimeout(() => void scanAll(), Math.min(scanMs, unwatchedScanMs)).unref()
  }
  return {
    async start() {
      for (const one of watched.values()) attach(one)
      for (const one of watched.values()) await look(one, true)
      timer = setTimeout(() => void scanAll(), Math.min(scanMs, unwatchedScanMs)).unref()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
      settling.stop()
      for (const one of watched.values()) one.watcher?.close()
    },
  }
}

/** The folders and their parents below the home, so that new folders are seen. */
function withParents(folders: readonly string[]): string[] {
  const all = folders.flatMap((folder) => {
    const names = folder === '.' ? [] : folder.split('/')
    return ['.', ...names.map((_, index) => names.slice(0, index + 1).join('/'))]
  })
  return [...new Set(all)].sort()
}

/** Ignores drafts of editors and of Cadre. */
function isWatchedName(name: string): boolean {
  return !name.startsWith('.') && !/(?:~|\.tmp|\.swp|\.swx|\.torn)$/.test(name)
}

function remember(one: Watched, name: string, stamp: string | undefined): void {
  if (stamp === undefined) one.stamps.delete(name)
  else one.stamps.set(name, stamp)
}

function stampAt(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats && stampOf(stats).is
  } catch {
    return undefined
  }
}

/** Inode numbers are reused, so the creation time is included. */
function identityOf(folder: string): string | undefined {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false })
    return stats && `${stats.ino} ${stats.birthtimeMs}`
  } catch {
    return undefined
  }
}

function nameOf(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`
}

function split(key: string): [folder: string, name: string] {
  const at = key.indexOf('\0')
  return [key.slice(0, at), key.slice(at + 1)]
}
