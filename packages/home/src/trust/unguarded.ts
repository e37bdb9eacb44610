import { readdirSync, readFileSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { heartbeatLimit, isAlive, type ProcessIdentity, thisProcess } from '@cadre/disk'
import type { Home } from '../home/open-home.ts'
import { digestOf, rememberEdit } from './own-edits.ts'

let marks = 0
/** The homes in which commands of this process run, once for each: such a command can remove its mark. */
const running: string[] = []
const ownMarks = new Set<string>()
const keepers = new Set<(home: string) => void>()
/** By real path. Only while a command runs: what was written before it is no excuse for a change that it makes. */
const written = new Map<string, string>()

/**
 * Remembers what this process itself has just put into a protected file, or that it removed it. Such a change is not taken
 * for one of a command that runs meanwhile, nor for one of a person. To be called in the same turn as the change is made, and before it
 * where a daemon could see it first.
 */
export function rememberWritten(file: string, content: string | Uint8Array | undefined): void {
  rememberEdit(file, content)
  if (running.length > 0) written.set(realOf(file), digestOf(content))
}

/** Whether that is how this process left a file since the oldest command began that still runs. */
export function wasWritten(file: string, content: string | Uint8Array | undefined): boolean {
  return written.get(realOf(file)) === digestOf(content)
}

/**
 * Marks that a command runs in this home that nothing keeps from writing files of the home. Until the returned function is
 * called, after what it changed was put back, nothing in these files is to be believed. It may be called more than once.
 */
export function beginUnguarded(home: Home, key: string): () => void {
  const self = thisProcess()
  const mark = `${home.folder('storage', 'unguarded')}/${self.token}-${++marks}.json`
  writeFileSync(mark, JSON.stringify({ ...self, key }), { flag: 'wx', mode: 0o600 })
  const real = realHome(home)
  running.push(real)
  ownMarks.add(mark)
  // Processes of another machine or container can tell only by this that it still runs.
  const beat = setInterval(() => touch(mark), heartbeatLimit / 3).unref()
  let isOver = false
  return () => {
    rmSync(mark, { force: true })
    if (isOver) return
    isOver = true
    ownMarks.delete(mark)
    clearInterval(beat)
    running.splice(running.indexOf(real), 1)
    if (running.length === 0) written.clear()
  }
}

function touch(mark: string): void {
  try {
    const now = new Date()
    utimesSync(mark, now, now)
  } catch {
    // The command has removed it, or it has just ended.
  }
}

/**
 * For whoever has files of a home open and knows what they have to hold: `look` is called with the home's real path when such
 * a command has ended, puts back what is not as it was written, and remembers the files as written. The returned function
 * ends it.
 */
export function onRestoreFiles(look: (home: string) => void): () => void {
  keepers.add(look)
  return () => keepers.delete(look)
}

/** Has everybody in this process look after their files, while the command is still known to have run. */
export function restoreOpenFiles(home: Home): void {
  const real = realHome(home)
  for (const look of keepers) look(real)
}

/** Whether such a command of this process runs now. Nothing that a command does can hide it. */
export function isUnguardedInThisProcess(home: Home): boolean {
  return running.length > 0 && running.includes(realHome(home))
}

/** Whether such a command runs now, in this process or another. Marks of processes that are gone are removed. */
export function isUnguarded(home: Home, { byOthers = false } = {}): boolean {
  if (!byOthers && isUnguardedInThisProcess(home)) return true
  const folder = home.at('storage', 'unguarded')
  const marks = namesIn(folder)?.map((name) => `${folder}/${name}`)
  return marks === undefined || marks.filter((mark) => !ownMarks.has(mark) && isHeld(mark)).length > 0
}

function isHeld(mark: string): boolean {
  let holder: ProcessIdentity
  let heartbeat: number
  try {
    heartbeat = statSync(mark).mtimeMs
    holder = JSON.parse(readFileSync(mark, 'utf8')) as ProcessIdentity
  } catch (error) {
    // One that is gone was taken back while we looked; one that cannot be read is not to be taken for nothing.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
  if (isAlive(holder, thisProcess(), heartbeat)) return true
  rmSync(mark, { force: true })
  return false
}

/** Nothing when it cannot be said what is there. */
function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : undefined
  }
}

/** Whether this process has written something in a folder since then. */
export function wasWrittenIn(folder: string): boolean {
  const inside = realOf(folder) + path.sep
  return [...written.keys()].some((file) => file.startsWith(inside))
}

function realHome({ path: home }: Home): string {
  try {
    return realpathSync(home)
  } catch {
    return home
  }
}

/** By its folder: the file itself may be gone, or new. */
function realOf(file: string): string {
  try {
    return path.join(realpathSync(path.dirname(file)), path.basename(file))
  } catch {
    return path.resolve(file)
  }
}
