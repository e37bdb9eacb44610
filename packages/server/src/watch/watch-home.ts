/**
 * Owns the watching of a home's folders: which files came, went or changed, told when they have been quiet for a moment.
 *
 * 1. A change is told at least once, after it: by the system's word where it gives one, else by the next look at names and stamps.
 *    It may be told more than once, and something may be told that is no change.
 * 2. A file that is written without end is told now and then all the same.
 * 3. A folder may come and go. A new one is looked at whole.
 * 4. Nothing here throws: where the system cannot watch, it is looked at more often, and that is said once.
 */
import { type FSWatcher, statSync, watch } from 'node:fs'
import path from 'node:path'
import { messageOf } from '@cadre/core'
import { namesIn, stampOf } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { Settling } from './settling.ts'

export interface WatchHomeOptions {
  readonly home: Home
  /** Relative to the home, with `/`; `.` is the home itself. Nothing below them is watched. */
  readonly folders: readonly string[]
  readonly settleMs: number
  /** Between looks at everything, where the system tells of changes and where it does not. */
  readonly lookMs?: number
  readonly blindLookMs?: number
  /** Files of one folder, by their names relative to the home. */
  readonly changed: (folder: string, files: readonly string[]) => void
  /** Why a folder is only looked at; nothing when it is watched again. */
  readonly failed: (folder: string, why: string | undefined) => void
  /** For tests: a system that does not tell. */
  readonly watch?: typeof watch
}

export interface HomeWatch {
  /** Resolves when every folder is watched, and known. */
  start(): Promise<void>
  stop(): void
}

interface Watched {
  readonly folder: string
  readonly isWanted: boolean
  watcher: FSWatcher | undefined
  /** Which folder it is: a name can stand for another one by now. */
  identity: string | undefined
  failure: string | undefined
  /** By name: when it was last told of, as far as the file system says. */
  stamps: Map<string, string>
  lookedAt: number
}

/** Files per turn of the event loop. */
const share = 500

export function watchHome(options: WatchHomeOptions): HomeWatch {
  const { home, settleMs, lookMs = 30_000, blindLookMs = 1000 } = options
  const startWatch = options.watch ?? watch
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const watched = new Map<string, Watched>()
  for (const folder of withAbove(options.folders)) {
    const isWanted = options.folders.includes(folder)
    const stamps = new Map<string, string>()
    watched.set(folder, {
      folder,
      isWanted,
      watcher: undefined,
      identity: undefined,
      failure: undefined,
      stamps,
      lookedAt: 0,
    })
  }
  const settling = new Settling(settleMs, (keys) => {
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
    if (one.isWanted && isTold(name)) settling.touch(`${one.folder}\0${name}`)
  }

  const fail = (one: Watched, why: string | undefined) => {
    if (one.failure === why) return
    one.failure = why
    options.failed(one.folder, why)
  }
  /** Whether the folder that is watched is still the one of this name; if not, the new one is. */
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
    // It may be a folder below that came or went, or this folder itself.
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
  /** Compares names and stamps with what is known. `quietly`: only gets to know. */
  const look = async (one: Watched, quietly = false): Promise<void> => {
    one.lookedAt = Date.now()
    if (!one.isWanted) return
    let names: readonly string[]
    try {
      names = namesIn(pathOf(one.folder)).filter(isTold)
    } catch {
      // What is known stays known until the folder can be read, which is tried soon.
      one.lookedAt = 0
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
      if (index % share === share - 1) await new Promise((resolve) => setImmediate(resolve))
      if (isStopped) return
      const stamp = stampAt(start + name)
      if (stamp === one.stamps.get(name)) continue
      remember(one, name, stamp)
      if (!quietly) tell(one, name)
    }
  }
  const lookAround = async () => {
    const now = Date.now()
    for (const one of watched.values()) {
      const every = one.watcher === undefined && one.identity !== undefined ? blindLookMs : lookMs
      if (Math.abs(now - one.lookedAt) < every) continue
      attach(one)
      await look(one)
    }
    if (!isStopped) timer = setTimeout(() => void lookAround(), Math.min(lookMs, blindLookMs)).unref()
  }
  return {
    async start() {
      for (const one of watched.values()) attach(one)
      for (const one of watched.values()) await look(one, true)
      timer = setTimeout(() => void lookAround(), Math.min(lookMs, blindLookMs)).unref()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
      settling.stop()
      for (const one of watched.values()) one.watcher?.close()
    },
  }
}

/** The folders and those above them, down from the home: a folder that comes later is seen from above. */
function withAbove(folders: readonly string[]): string[] {
  const all = folders.flatMap((folder) => {
    const names = folder === '.' ? [] : folder.split('/')
    return ['.', ...names.map((_, index) => names.slice(0, index + 1).join('/'))]
  })
  return [...new Set(all)].sort()
}

/** Drafts of editors and of cadre itself are nobody's business. */
function isTold(name: string): boolean {
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

/** The number of a folder that was removed is soon that of another. */
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
