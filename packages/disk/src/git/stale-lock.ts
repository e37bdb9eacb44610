import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isInside } from '../files/files.ts'

const patience = 3_000
/** A lock is closed for a moment before it is put in its place. */
const moment = 500
/** Where nobody can see who has a file open, a lock counts as forgotten after this. */
const forgotten = 60_000

/**
 * Takes away a lock of git that nobody holds any more: the process was killed, or the machine. Waits for one that is held.
 * False when somebody keeps it.
 */
export async function removeStaleLock(lock: string): Promise<boolean> {
  const until = Date.now() + patience
  for (;;) {
    const before = statSync(lock, { throwIfNoEntry: false })
    if (before === undefined) return true
    const isHeld = isHeldSomewhere(lock)
    // A clock that was set back makes a lock of the future.
    const age = Math.abs(Date.now() - before.mtimeMs)
    if (age > (isHeld === undefined ? forgotten : moment) && isHeld !== true) {
      // It may have been given back and taken by another one while we looked.
      const now = statSync(lock, { throwIfNoEntry: false })
      if (now !== undefined && now.ino === before.ino && now.mtimeMs === before.mtimeMs) {
        rmSync(lock, { force: true })
        return true
      }
    }
    if (Date.now() > until) return false
    await pause(20)
  }
}

/**
 * Whether a process has it open, or is a git at work in that folder: while somebody writes the message of a commit, the lock is
 * there and closed. `undefined` when the system does not tell.
 */
function isHeldSomewhere(lock: string): boolean | undefined {
  let folder: string
  let processes: string[]
  try {
    folder = realpathSync(path.dirname(lock))
    processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return undefined
  }
  if (processes.length === 0) return undefined
  const real = path.join(folder, path.basename(lock))
  const home = path.dirname(folder)
  return processes.some((pid) => {
    const at = linkOf(`/proc/${pid}/cwd`)
    if (at !== undefined && isInside(home, at) && isGit(pid)) return true
    return descriptorsOf(pid).some((link) => link === real)
  })
}

function isGit(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'git'
  } catch {
    return false
  }
}

/** Nothing of another user's process, or of one that has just ended. */
function descriptorsOf(pid: string): (string | undefined)[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  } catch {
    return []
  }
}

function linkOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}
