import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, uptime } from 'node:os'
import { hasCode } from '../files/files.ts'

/** Identifies a process, so that another one can check whether it is still running. */
export interface ProcessIdentity {
  /** Unique, and safe as a file name. */
  readonly token: string
  readonly pid: number
  readonly host: string
  /** Changes whenever the machine starts. */
  readonly boot: string
  /** The start time in the system's format. Process ids are reused, but not together with the start time. */
  readonly start?: string
  /** When it took ownership, for people. */
  readonly since?: string
  /** Its process id namespace: two containers on one machine cannot see each other's processes. */
  readonly space?: string
}

/** A process on another machine counts as dead after this many milliseconds without a heartbeat. */
export const heartbeatLimit = 30_000

/** `as`: replaces fields, for tests of power loss and of other machines. */
export function thisProcess(as: Partial<ProcessIdentity> = {}): ProcessIdentity {
  const pid = as.pid ?? process.pid
  const start = startOf(pid)
  const space = attempt(() => readlinkSync('/proc/self/ns/pid'))
  return {
    token: `${pid}-${randomBytes(6).toString('hex')}`,
    pid,
    host: hostname(),
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? bootTime(),
    ...(typeof start === 'string' ? { start } : {}),
    ...(space === undefined ? {} : { space }),
    ...as,
  }
}

/** Returns whether `other` is still running, as far as `self` can tell. `heartbeat`: the time of its last heartbeat. */
export function isAlive(other: ProcessIdentity, self: ProcessIdentity, heartbeat: number): boolean {
  if (other.host !== self.host || other.space !== self.space) return Date.now() - heartbeat < heartbeatLimit
  if (!isSameBoot(other.boot, self.boot)) return false
  const start = startOf(other.pid)
  if (start === 'none') return false
  if (start !== undefined) return other.start === undefined || other.start === start
  return isRunning(other.pid)
}

/** Returns whether a process on this machine has this id. It may be a different process with a reused id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

export function isSameBoot(a: string, b: string): boolean {
  if (a === b) return true
  const [first, second] = [a, b].map((boot) => /^time-(\d+)$/.exec(boot)?.[1])
  return first !== undefined && second !== undefined && Math.abs(Number(first) - Number(second)) < 120
}

/** Returns `none` if there is no such process or only a zombie, and `undefined` if the system does not report it. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may contain anything. The fields after the last parenthesis are regular.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? 'none' : fields[19]
  } catch {
    return attempt(() => readFileSync('/proc/self/stat')) === undefined ? undefined : 'none'
  }
}

function bootTime(): string {
  return `time-${Math.round(Date.now() / 1000 - uptime())}`
}

/** Returns `undefined` if the system does not offer it. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
