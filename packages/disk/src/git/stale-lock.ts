import { readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isInside, linkTarget } from '../files/files.ts'

const timeoutMs = 3_000
/** Git closes a lock for a moment before it renames it. */
const closeDelayMs = 500
/** If the system does not report who has a file open, a lock is stale after this time. */
const maxLockAgeMs = 60_000

/** Removes a git lock whose process was killed. Waits for a lock that is held. Returns false if it stays held. */
export async function removeStaleLock(lock: string): Promise<boolean> {
  const until = Date.now() + timeoutMs
  for (;;) {
    const before = statSync(lock, { throwIfNoEntry: false })
    if (before === undefined) return true
    const isHeld = isHeldSomewhere(lock)
    // If the clock was set back, the lock is in the future.
    const age = Math.abs(Date.now() - before.mtimeMs)
    if (age > (isHeld === undefined ? maxLockAgeMs : closeDelayMs) && isHeld !== true) {
      // Another process may have taken the lock during the check.
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
 * Returns whether a process has the lock open, or git is running in that folder: while a person writes a commit message, the lock exists
 * but is closed. Returns `undefined` if the system does not report it.
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
    const at = linkTarget(`/proc/${pid}/cwd`)
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

/** Empty for processes of other users and for ended ones. */
function descriptorsOf(pid: string): (string | undefined)[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => linkTarget(`/proc/${pid}/fd/${fd}`))
  } catch {
    return []
  }
}
