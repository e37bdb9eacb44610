import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { isPlainVariable } from '../sandbox/clean-environment.ts'
import { markVariable } from '../sandbox/command-mark.ts'

/**
 * Hides keys from the programs that this process starts. Call it before starting any. `process.env` does not change.
 *
 * On Linux, `/proc/PID/environ` shows the initial environment of a process to all programs of the same user, and changing a
 * variable does not change it. So every variable that commands do not get anyway is moved to other memory of this process,
 * and its original memory is overwritten. All of them are moved, because only the configuration knows which are keys. On
 * other systems, and on failure, nothing changes.
 */
export function hideInitialEnvironment(): void {
  if (process.platform !== 'linux') return
  try {
    const block = readFileSync('/proc/self/environ')
    const start = startOfBlock(block.length)
    if (start === undefined) return
    const parts = partsToMove(block)
    for (const { name, at, length } of parts) {
      block.fill(0, at, at + length)
      const value = process.env[name]
      if (value === undefined) continue
      // Removed first, because its old memory is overwritten below.
      delete process.env[name]
      process.env[name] = value
    }
    const memory = openSync('/proc/self/mem', 'r+')
    try {
      writeSync(memory, block, 0, block.length, start)
    } finally {
      closeSync(memory)
    }
  } catch {
    // The system does not permit it.
  }
}

/** Returns the address of the first variable, as the system reports it. */
function startOfBlock(length: number): number | undefined {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  // The program name in parentheses can contain anything. The fields after it start with the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [start, end] = [Number(fields[47]), Number(fields[48])]
  return Number.isSafeInteger(start) && start > 0 && end - start >= length ? start : undefined
}

interface Part {
  readonly name: string
  readonly at: number
  readonly length: number
}

function partsToMove(block: Buffer): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf(0, at)
    const length = (end < 0 ? block.length : end) - at
    const [name = ''] = block.toString('utf8', at, at + length).split('=', 1)
    // The mark identifies a process that a command started.
    if (length > 0 && !isPlainVariable(name) && name !== markVariable) parts.push({ name, at, length })
    at += length + 1
  }
  return parts
}
