import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { isPlainVariable } from '../sandbox/clean-environment.ts'
import { markVariable } from '../sandbox/command-mark.ts'

/**
 * Takes keys out of reach of the programs that this process starts. Call it before anything is started. `process.env` stays as
 * it is.
 *
 * On Linux the system shows the environment that a process was started with to all programs of the same user, in
 * `/proc/PID/environ`, and changing a variable does not change that. So every variable that commands do not get anyway is moved
 * to memory of this process, and its first place is overwritten: which of them are keys, only the configuration knows. On other
 * systems, and where it fails, nothing is changed.
 */
export function sealEnvironment(): void {
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
      // Removed first: in its old place it would be overwritten below.
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
    // A system that does not permit it.
  }
}

/** The address of the first variable, by what the system says about this process. */
function startOfBlock(length: number): number | undefined {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  // The program's name, in parentheses, may contain anything. The fields after it begin with the third.
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
    // By its mark a process that a command started is found again.
    if (length > 0 && !isPlainVariable(name) && name !== markVariable) parts.push({ name, at, length })
    at += length + 1
  }
  return parts
}
