import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'

/** One process of this machine, from `/proc/PID/stat`. */
export interface ProcessEntry {
  readonly pid: number
  /** It has exited, and its parent has not waited for it. */
  readonly isZombie: boolean
  readonly parent: number
  readonly group: number
  readonly session: number
  /** In ticks since boot. Together with the pid it identifies a process, because pids are reused. */
  readonly started: number
  /** In bytes. Shared pages count for each process. */
  readonly resident: number
}

/** Returns all processes; empty on systems without `/proc`. */
export function readProcesses(): ProcessEntry[] {
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return []
  }
  const found: ProcessEntry[] = []
  for (const name of names) {
    const first = name.charCodeAt(0)
    if (first < 0x30 || first > 0x39) continue
    const entry = entryOf(name)
    if (entry !== undefined) found.push(entry)
  }
  return found
}

const buffer = Buffer.allocUnsafe(2_048)

/** Returns the current state of a process, or undefined if it is gone. */
export function readProcess(pid: number): ProcessEntry | undefined {
  return entryOf(String(pid))
}

function entryOf(pid: string): ProcessEntry | undefined {
  let stat: string
  try {
    // Not readFileSync: it takes twice as long, and this runs for every process many times a second.
    const handle = openSync(`/proc/${pid}/stat`, 'r')
    try {
      stat = buffer.toString('latin1', 0, readSync(handle, buffer, 0, buffer.length, 0))
    } finally {
      closeSync(handle)
    }
  } catch {
    // It has exited meanwhile.
    return undefined
  }
  // The program name in parentheses can contain anything. The fields after it start with the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const state = fields[0]
  if (state === 'X') return undefined
  return {
    pid: Number(pid),
    isZombie: state === 'Z',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    started: Number(fields[19]),
    resident: Number(fields[21]) * pageSize(),
  }
}

/** Returns the text of a file below `/proc`; empty if it cannot be read, for example because its process has exited. */
export function readProcText(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'latin1')
  } catch {
    return ''
  }
}

let knownPageSize: number | undefined

/** From the auxiliary vector of this process: 4 KiB nearly everywhere, 16 or 64 KiB on some ARM machines. */
function pageSize(): number {
  if (knownPageSize !== undefined) return knownPageSize
  knownPageSize = 4_096
  try {
    const pairs = readFileSync('/proc/self/auxv')
    for (let at = 0; at + 16 <= pairs.length; at += 16)
      if (pairs.readBigUInt64LE(at) === 6n) knownPageSize = Number(pairs.readBigUInt64LE(at + 8))
  } catch {
    // Unknown, so use the common size.
  }
  return knownPageSize
}
