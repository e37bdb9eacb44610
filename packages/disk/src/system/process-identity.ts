import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, uptime } from 'node:os'
import { hasCode } from '../files/files.ts'

/** Names a process so that another one can tell whether it still runs. */
export interface ProcessIdentity {
  /** Unique for ever; also a file name. */
  readonly token: string
  readonly pid: number
  readonly host: string
  /** Changes whenever the machine starts. */
  readonly boot: string
  /** When the process began, in the system's own terms: a process id is used again, this pair is not. */
  readonly start?: string
  /** When it took up what it owns, for people. */
  readonly since?: string
  /** Which process ids it can see: two containers on one machine cannot see each other's. */
  readonly space?: string
}

/** Another machine's process counts as dead when it has not been heard of for so long. */
export const heartbeatLimit = 30_000

/** `as` replaces parts, for tests of power loss and of other machines. */
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

/** Whether `other` still runs, as far as `self` can tell. `heartbeat` is when it was last heard of. */
export function isAlive(other: ProcessIdentity, self: ProcessIdentity, heartbeat: number): boolean {
  if (other.host !== self.host || other.space !== self.space) return Date.now() - heartbeat < heartbeatLimit
  if (!isSameBoot(other.boot, self.boot)) return false
  const start = startOf(other.pid)
  if (start === 'none') return false
  if (start !== undefined) return other.start === undefined || other.start === start
  return isRunning(other.pid)
}

/** Whether a process of this machine has this id. Whether it is the one that is meant, nobody knows. */
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

/** `none` when there is no such process, or only what is left of one; `undefined` when the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may hold anything; what follows its last one is regular.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? 'none' : fields[19]
  } catch {
    return attempt(() => readFileSync('/proc/self/stat')) === undefined ? undefined : 'none'
  }
}

function bootTime(): string {
  return `time-${Math.round(Date.now() / 1000 - uptime())}`
}

/** What the system may not offer. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
