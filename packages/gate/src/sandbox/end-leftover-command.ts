import { readdirSync } from 'node:fs'
import type { Home } from '@cadre/home'
import { sendSignal } from '../processes/send-signal.ts'
import { isMarkOf } from './command-mark.ts'
import { readProcess, readProcText } from './process-table.ts'
import { terminateGracefully } from './terminate-gracefully.ts'

/** The grace period for cleaning up, in milliseconds. */
const grace = 2_000

/**
 * Ends the processes of a command whose Cadre process was killed. `key` identifies the call. They are found by the mark in
 * their environment, which names the call and the home: unlike a process id, it cannot belong to another program. The
 * caller must own the session, so that no other process runs the call. `unknown`: something may still be running.
 */
export async function endLeftoverCommand(
  key: string,
  home: Home | undefined,
): Promise<'ended' | 'none' | 'unknown'> {
  if (home === undefined) return 'unknown'
  const isMarked = isMarkOf(key, home)
  const first = markedProcesses(isMarked)
  // Without /proc, other processes cannot be identified. This process itself must survive.
  if (first === undefined || isMarked(readProcText('self/environ'))) return 'unknown'
  if (first.length === 0) return 'none'
  const until = Date.now() + grace
  // A marked leader proves that the whole group belongs to the command.
  const groups = first.filter((pid) => readProcess(pid)?.group === pid)
  await Promise.all(groups.map((group) => terminateGracefully({ group, until })))
  for (const group of groups) if (isMarked(readProcText(`${group}/environ`))) sendSignal(-group, 'SIGKILL')
  for (let round = 0; round < 50; round++) {
    const left = markedProcesses(isMarked) ?? []
    if (left.length === 0) return 'ended'
    for (const pid of left) sendSignal(pid, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return 'unknown'
}

/** Undefined if the system does not list processes. */
function markedProcesses(isMarked: (environment: string) => boolean): number[] | undefined {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isMarked(readProcText(`${name}/environ`)))
      .map(Number)
  } catch {
    return undefined
  }
}
