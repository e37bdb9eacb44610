import { readdirSync } from 'node:fs'
import type { CommandMark } from './command-mark.ts'
import { readProcText } from './process-table.ts'

/**
 * Kills processes that a command left running outside its group, found by the mark in their environment, which a process
 * can remove. Only a sandbox reliably leaves none. Repeats until it finds no more.
 */
export function killLeftoverProcesses({ text }: CommandMark): number {
  let ended = 0
  for (let round = 0; round < 10; round++) {
    const found = processes().filter((pid) => readProcText(`${pid}/environ`).includes(text))
    if (found.length === 0) return ended
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL')
        ended++
      } catch {
        // It has already exited.
      }
    }
  }
  return ended
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 1 && pid !== process.pid)
  } catch {
    return []
  }
}
