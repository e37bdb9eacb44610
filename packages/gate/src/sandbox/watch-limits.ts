/**
 * Watches the usage of running commands through `/proc`, and stops those that exceed their limits. Owns one timer for all
 * commands of this process.
 *
 * 1. One read of the process table serves all commands. It takes at most a twentieth of one core, and happens at least
 *    every half second.
 * 2. A process that belongs to a command belongs to it until it exits, even if it leaves its group and its parent.
 * 3. A command over its limit is reported once, and its processes are killed until none is left.
 * 4. On systems without `/proc`, nothing is watched.
 */
import { statfsSync } from 'node:fs'
import type { CommandLimits } from '@cadre/home'
import { sendSignal } from '../processes/send-signal.ts'
import type { ExceededLimit } from './command-limit.ts'
import { type ProcessEntry, readProcess, readProcesses, readProcText } from './process-table.ts'

export interface WatchedCommand {
  /** The leader of the command's group and session. */
  readonly leader: number
  readonly limits: CommandLimits
  /** A text in the environment of the command's processes. It identifies those that left the process tree between two reads. */
  readonly mark?: string | undefined
  /** The command's private in-memory folders, by paths that this process can access. */
  readonly memoryFolders: () => readonly string[]
  /** Kills the command immediately. */
  readonly stop: (limit: ExceededLimit) => void
}

interface Watch extends WatchedCommand {
  /** Processes known to belong to the command, or not: `pid:started`. */
  readonly members: Set<string>
  readonly nonMembers: Set<string>
  isOver: boolean
}

// Short, because a command that keeps doubling its processes soon leaves this process no time.
const interval = 25
const maxInterval = 500
const megabyte = 1024 * 1024

const watches = new Set<Watch>()
let timer: NodeJS.Timeout | undefined

/** Returns a function that stops watching. */
export function watchLimits(command: WatchedCommand): () => void {
  if (process.platform !== 'linux') return () => undefined
  const watch: Watch = { ...command, members: new Set(), nonMembers: new Set(), isOver: false }
  watches.add(watch)
  timer ??= setTimeout(checkAll, interval).unref()
  return () => {
    watches.delete(watch)
    if (watches.size > 0) return
    clearTimeout(timer)
    timer = undefined
  }
}

function checkAll(): void {
  const began = performance.now()
  const table = readProcesses()
  const used = [...watches].map((watch) => ({ watch, ...useOf(watch, table) }))
  for (const { watch, members, memory } of used) {
    const limit = exceededBy(watch, members, memory)
    if (limit !== undefined) end(watch, limit)
    else if (watch.isOver) for (const { pid } of members) sendSignal(pid, 'SIGKILL')
  }
  const left = memoryShortage(readProcText('meminfo'))
  const [largest] = used.filter(({ watch }) => !watch.isOver).sort((a, b) => b.memory - a.memory)
  if (left !== undefined && largest !== undefined)
    end(largest.watch, { kind: 'machine_memory', value: Math.floor(left / megabyte) })
  const pause = Math.min(maxInterval, Math.max(interval, (performance.now() - began) * 20))
  timer = watches.size === 0 ? undefined : setTimeout(checkAll, pause).unref()
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
  const maxBytes = memoryMegabytes * megabyte
  if (memory <= maxBytes) return undefined
  // Shared pages and mapped files were counted several times. The exact number takes longer to compute.
  const exact = members.reduce((sum, { pid }) => sum + ownMemoryOf(pid), 0)
  const inFolders = memoryFolders().reduce((sum, folder) => sum + usedIn(folder), 0)
  return exact + inFolders > maxBytes ? { kind: 'memory', value: memoryMegabytes } : undefined
}

/** Returns all processes of a command. Adds descendants of known members, in as many passes as needed. */
function membersOf(
  { leader, mark, members, nonMembers }: Watch,
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
    if (found.has(one.pid) || one.started < began || nonMembers.has(key)) continue
    if (readProcText(`${one.pid}/environ`).includes(mark)) take(one)
    else nonMembers.add(key)
  }
  return [...found.values()]
}

function keyOf({ pid, started }: ProcessEntry): string {
  return `${pid}:${started}`
}

function end(watch: Watch, limit: ExceededLimit): void {
  watch.isOver = true
  // Kills the group, or the whole namespace, before it can start more.
  watch.stop(limit)
  // Processes that left the group are stopped first: each could start another while they are killed one by one.
  const held = new Set<number>()
  for (let round = 0; round < 10; round++) {
    const fresh = membersOf(watch, readProcesses()).filter(({ pid }) => !held.has(pid))
    if (fresh.length === 0) break
    for (const { pid } of fresh) {
      sendSignal(pid, 'SIGSTOP')
      held.add(pid)
    }
  }
  for (const pid of held) sendSignal(pid, 'SIGKILL')
}

/** The memory that would be free without this process: excludes mapped files, and includes its share of shared pages. */
function ownMemoryOf(pid: number): number {
  const rollup = readProcText(`${pid}/smaps_rollup`)
  const parts = [...rollup.matchAll(/^Pss_(?:Anon|Shmem): +(\d+) kB$/gm)]
  // It may have exited since the table was read; then it uses no memory.
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
    // The command has ended, or has not started.
    return 0
  }
}

/** Returns the remaining bytes of memory, if that is too little for the machine to work normally. */
export function memoryShortage(meminfo: string): number | undefined {
  const kilobytes = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(meminfo)?.[1])
  const left = kilobytes('MemAvailable')
  // NaN is not a shortage.
  const isShort = left < Math.min(kilobytes('MemTotal') / 25, 512 * 1024)
  return isShort ? left * 1024 : undefined
}
