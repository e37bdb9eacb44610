import { readdirSync, readFileSync } from 'node:fs'
import type { Mark } from './command-mark.ts'

/**
 * Ends what a command left running outside of its group, where the system tells: by the mark in its environment, which a
 * process can take off. Only a sandbox leaves none. Looks again until nothing new is found.
 */
export function endLeftovers({ text }: Mark): number {
  let ended = 0
  for (let round = 0; round < 10; round++) {
    const found = processes().filter((pid) => environmentOf(pid).includes(text))
    if (found.length === 0) return ended
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL')
        ended++
      } catch {
        // It has ended by itself.
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

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}
