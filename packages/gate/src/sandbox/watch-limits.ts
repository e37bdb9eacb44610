/**
 * Watches what running commands use, through `/proc`, and stops those that exceed their limits. Owns one timer for all
 * commands of this process.
 *
 * 1. One look at the process table serves all commands, and looking takes at most a twentieth of one core, and never waits longer than half a second.
 * 2. A process that was seen to belong to a command belongs to it until it ends, also when it leaves its group and its parent.
 * 3. A command over its limit is reported once, and its processes are killed until none is left.
 * 4. On systems without `/proc` nothing is watched.
 */
import { readFileSync, statfsSync } from 'node:fs'
import type { CommandLimits } from '@cadre/home'
import type { ExceededLimit } from './command-limit.ts'
import { type ProcessEntry, readProcess, readProcesses } from './process-table.ts'

export interface WatchedCommand {
  /** Leads the command's group and session. */
  readonly leader: number
  readonly limits: CommandLimits
  /** Text in the environment of the command's processes, by which those are found that left the tree between two looks. */
  readonly mark?: string | undefined
  /** Folders of the command alone whose files are in memory, as this process can reach them. */
  readonly memoryFolders: () => readonly string[]
  /** Kills the command at once. */
  readonly stop: (limit: ExceededLimit) => void
}

interface Watch extends WatchedCommand {
  /** Processes that belong to the command, or are known not to: `pid:started`. */
  readonly members: Set<string>
  readonly strangers: Set<string>
  isOver: boolean
}

// Short: a command that doubles its processes again and again soon leaves this one no time to look.
const interval = 25
const longestInterval = 500
const megabyte = 1024 * 1024

const watches = new Set<Watch>()
let timer: NodeJS.Timeout | undefined

/** Answers what ends the watching. */
export function watchLimits(command: WatchedCommand): () => void {
  if (process.platform !== 'linux') return () => undefined
  const watch: Watch = { ...command, members: new Set(), strangers: new Set(), isOver: false }
  watches.add(watch)
  timer ??= setTimeout(look, interval).unref()
  return () => {
    watches.delete(watch)
    if (watches.size > 0) return
    clearTimeout(timer)
    timer = undefined
  }
}

function look(): void {
  const began = performance.now()
  const table = readProcesses()
  const used = [...watches].map((watch) => ({ watch, ...useOf(watch, table) }))
  for (const { watch, members, memory } of used) {
    const limit = exceededBy(watch, members, memory)
    if (limit !== undefined) end(watch, limit)
    else if (watch.isOver) for (const { pid } of members) send(pid, 'SIGKILL')
  }
  const left = shortage(readText('/proc/meminfo'))
  const [largest] = used.filter(({ watch }) => !watch.isOver).sort((a, b) => b.memory - a.memory)
  if (left !== undefined && largest !== undefined)
    end(largest.watch, { kind: 'machine_memory', value: Math.floor(left / megabyte) })
  const pause = Math.min(longestInterval, Math.max(interval, (performance.now() - began) * 20))
  timer = watches.size === 0 ? undefined : setTimeout(look, pause).unref()
}

function useOf(watch: Watch, table: readonly ProcessEntry[]) {
  const members = membersOf(watch, table)
  const inProcesses = members.reduce((sum, { resident }) => sum + resident, 0)
  const inFolders = watch.memoryFolders().reduce((sum, folder) => sum + usedIn(folder), 0)
  return { members, memory: inProcesses + inFolders }
}

function exceededBy(
  { limits, isOver, memoryFolders }: Watch,
  members: readonly ProcessEntry[],
  memory: number,
): ExceededLimit | undefined {
  if (isOver) return undefined
  const { processes, memoryMegabytes } = limits
  if (members.length > processes) return { kind: 'processes', value: processes }
  const most = memoryMegabytes * megabyte
  if (memory <= most) return undefined
  // What processes share was counted several times, and files that are only mapped as well. The exact figure takes longer.
  const exact = members.reduce((sum, { pid }) => sum + ownMemoryOf(pid), 0)
  const inFolders = memoryFolders().reduce((sum, folder) => sum + usedIn(folder), 0)
  return exact + inFolders > most ? { kind: 'memory', value: memoryMegabytes } : undefined
}

/** All processes of a command. Descendants come with their parents, in as many passes as it takes. */
function membersOf(
  { leader, mark, members, strangers }: Watch,
  table: readonly ProcessEntry[],
): ProcessEntry[] {
  const began = table.find(({ pid }) => pid === leader)?.started ?? 0
  const found = new Map<number, ProcessEntry>()
  const take = (one: ProcessEntry) => {
    found.set(one.pid, one)
    members.add(keyOf(one))
  }
  for (const one of table)
    if (one.group === leader || one.session === leader || members.has(keyOf(one))) take(one)
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const one of table) if (!found.has(one.pid) && found.has(one.parent)) take(one)
  }
  if (mark === undefined) return [...found.values()]
  for (const one of table) {
    const key = keyOf(one)
    if (found.has(one.pid) || one.started < began || strangers.has(key)) continue
    if (readText(`/proc/${one.pid}/environ`).includes(mark)) take(one)
    else strangers.add(key)
  }
  return [...found.values()]
}

function keyOf({ pid, started }: ProcessEntry): string {
  return `${pid}:${started}`
}

function end(watch: Watch, limit: ExceededLimit): void {
  watch.isOver = true
  // The group, or the whole namespace, ends at once, before it can start more.
  watch.stop(limit)
  // Those that left the group are held first: each could start another one while they are killed one by one.
  const held = new Set<number>()
  for (let round = 0; round < 10; round++) {
    const fresh = membersOf(watch, readProcesses()).filter(({ pid }) => !held.has(pid))
    if (fresh.length === 0) break
    for (const { pid } of fresh) {
      send(pid, 'SIGSTOP')
      held.add(pid)
    }
  }
  for (const pid of held) send(pid, 'SIGKILL')
}

/** Memory that would be free without this process: not the files it has mapped, and its part of what it shares. */
function ownMemoryOf(pid: number): number {
  const rollup = readText(`/proc/${pid}/smaps_rollup`)
  const parts = [...rollup.matchAll(/^Pss_(?:Anon|Shmem): +(\d+) kB$/gm)]
  // It may have ended since the look at the table; then it holds nothing any more.
  return parts.length === 0
    ? (readProcess(pid)?.resident ?? 0)
    : parts.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0)
}

const tmpfs = 0x01021994

function usedIn(folder: string): number {
  try {
    const { type, blocks, bfree, bsize } = statfsSync(folder)
    return type === tmpfs ? (blocks - bfree) * bsize : 0
  } catch {
    // The command has ended, or has not begun.
    return 0
  }
}

/** The bytes that are left on this machine, when that is too little for it to go on working. */
export function shortage(meminfo: string): number | undefined {
  const kilobytes = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(meminfo)?.[1])
  const left = kilobytes('MemAvailable')
  // A NaN is no shortage.
  const isShort = left < Math.min(kilobytes('MemTotal') / 25, 512 * 1024)
  return isShort ? left * 1024 : undefined
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}
