import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { isSecretName } from '../audit/mask-secrets.ts'
import { isPlainVariable } from '../sandbox/clean-environment.ts'
import { markVariable } from '../sandbox/command-mark.ts'

let sealed: NodeJS.ProcessEnv | undefined

/** The environment that this process was started with, also after it was sealed. Use it for keys; never `process.env`. */
export function startEnvironment(): NodeJS.ProcessEnv {
  return sealed ?? process.env
}

/**
 * Takes keys out of reach of the programs that this process starts, and answers the environment with them. Call it first.
 *
 * - Variables that are secret by their names are removed from `process.env`, which every child inherits by default.
 * - On Linux the system shows the environment that a process was started with to all programs of the same user, in
 *   `/proc/PID/environ`, and removing a variable does not change that. So that memory is overwritten, except for variables that
 *   commands get anyway. Elsewhere, and where it fails, it stays as it is.
 */
export function sealEnvironment(): NodeJS.ProcessEnv {
  sealed ??= { ...process.env }
  for (const [name, value] of Object.entries(sealed)) {
    if (isKept(name)) continue
    delete process.env[name]
    // Written again it is a copy in this process's own memory.
    if (!isSecretName(name)) process.env[name] = value
  }
  if (process.platform === 'linux') overwriteInitialEnvironment()
  return sealed
}

function overwriteInitialEnvironment(): void {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    // The program's name, in parentheses, may contain anything. The fields after it begin with the third.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [start, end] = [Number(fields[47]), Number(fields[48])]
    const block = readFileSync('/proc/self/environ')
    if (!Number.isSafeInteger(start) || start <= 0 || end - start < block.length) return
    const memory = openSync('/proc/self/mem', 'r+')
    try {
      for (const { at, length } of secretPartsOf(block))
        writeSync(memory, Buffer.alloc(length), 0, length, start + at)
    } finally {
      closeSync(memory)
    }
  } catch {
    // A system that does not permit it.
  }
}

/** By its mark a process that a command started is found again. */
function isKept(name: string): boolean {
  return isPlainVariable(name) || name === markVariable
}

/** Where the variables are that have to go. */
function secretPartsOf(block: Buffer): { readonly at: number; readonly length: number }[] {
  const parts = []
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf(0, at)
    const length = (end < 0 ? block.length : end) - at
    const [name = ''] = block.toString('latin1', at, at + length).split('=', 1)
    if (length > 0 && !isKept(name)) parts.push({ at, length })
    at += length + 1
  }
  return parts
}
