import { readdirSync, readFileSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { heartbeatLimit, isAlive, type ProcessIdentity, realPathOrSelf, thisProcess } from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { holdCommandSocket, isCommandSocketHeld } from './command-socket.ts'
import { digestOf, rememberEdit } from './own-edits.ts'

let marks = 0
/**
 * The homes in which commands without a sandbox of this process run, one element per command. Kept in memory, because a command can delete its
 * mark.
 */
const running: string[] = []
const ownMarks = new Set<string>()
const restoreListeners = new Set<(home: string) => void>()
/** By real path. Kept only while a command runs, so that an earlier write does not excuse a change by the command. */
const written = new Map<string, string>()

/**
 * Remembers that this process wrote or removed a protected file, so that the change is not attributed to a running command or a person.
 * Call it in the same turn as the change, and before it if a daemon could see the change first.
 */
export function rememberOwnWrite(file: string, content: string | Uint8Array | undefined): void {
  rememberEdit(file, content)
  if (running.length > 0) written.set(realOf(file), digestOf(content))
}

/** Returns whether this process gave the file this content since the oldest running command started. */
export function isOwnWrite(file: string, content: string | Uint8Array | undefined): boolean {
  return written.get(realOf(file)) === digestOf(content)
}

/**
 * Marks that a command without a sandbox runs in this home and could write its files. The files must not be trusted until the returned
 * function is called, after their content is restored. It may be called repeatedly.
 */
export function markUnsandboxedCommand(home: Home, key: string): () => void {
  const self = thisProcess()
  const mark = `${home.folder('storage', 'unguarded')}/${self.token}-${++marks}.json`
  const real = realPathOrSelf(home.path)
  // Before the mark, which would remain if this fails.
  const releaseSocket = holdCommandSocket(real)
  try {
    writeFileSync(mark, JSON.stringify({ ...self, key }), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    releaseSocket()
    throw error
  }
  running.push(real)
  ownMarks.add(mark)
  // The heartbeat for processes on other machines or in other containers.
  const beat = setInterval(() => touchMark(mark), heartbeatLimit / 3).unref()
  let isOver = false
  return () => {
    rmSync(mark, { force: true })
    if (isOver) return
    isOver = true
    ownMarks.delete(mark)
    releaseSocket()
    clearInterval(beat)
    running.splice(running.indexOf(real), 1)
    if (running.length === 0) written.clear()
  }
}

function touchMark(mark: string): void {
  try {
    const now = new Date()
    utimesSync(mark, now, now)
  } catch {
    // The command has removed the mark, or has just ended.
  }
}

/**
 * For code that has files in a home open and knows their content. Calls `look` with the home's real path when such a command has ended; it
 * restores changed files and remembers them as written. The returned function unsubscribes.
 */
export function onRestoreFiles(look: (home: string) => void): () => void {
  restoreListeners.add(look)
  return () => restoreListeners.delete(look)
}

/** Calls all `onRestoreFiles` listeners of this process, while the mark of the command still exists. */
export function restoreOpenFiles(home: Home): void {
  const real = realPathOrSelf(home.path)
  for (const look of restoreListeners) look(real)
}

/** Returns whether this process runs such a command. A command cannot hide this. */
export function isUnsandboxedCommandRunningHere(home: Home): boolean {
  return running.length > 0 && running.includes(realPathOrSelf(home.path))
}

/**
 * Returns whether this or another process runs such a command. Removes marks of dead processes. A command can delete the mark of its
 * process, but not the socket. Only the mark is visible on other systems, in other containers and on other machines.
 */
export function isUnsandboxedCommandRunning(home: Home, { byOthers = false } = {}): boolean {
  if ((!byOthers && isUnsandboxedCommandRunningHere(home)) || isCommandSocketHeld(home.path)) return true
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
    // A missing mark was removed in the meantime. An unreadable one must still count.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
  if (isAlive(holder, thisProcess(), heartbeat)) return true
  rmSync(mark, { force: true })
  return false
}

/** Returns `undefined` if the folder cannot be read. */
function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : undefined
  }
}

/** Returns whether this process has written to a folder since then. */
export function hasOwnWriteIn(folder: string): boolean {
  const inside = realOf(folder) + path.sep
  return [...written.keys()].some((file) => file.startsWith(inside))
}

/** Resolves the folder, because the file itself may not exist. */
function realOf(file: string): string {
  try {
    return path.join(realpathSync(path.dirname(file)), path.basename(file))
  } catch {
    return path.resolve(file)
  }
}
