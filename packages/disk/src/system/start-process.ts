import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/**
 * Starts a program, as `spawn` does, but throws when too few files can be opened for its pipes. Node then returns a child
 * without pipes, reports the error to a listener that nobody could add yet, and may never close the pipes it has made.
 */
export const startProcess = ((program: string, args: readonly string[], options: SpawnOptions) => {
  requireFiles(filesFor(options.stdio))
  const child = spawn(program, args, options)
  // Another thread took them meanwhile.
  if ((child as { readonly stdio?: ChildProcess['stdio'] }).stdio === undefined) {
    child.on('error', () => {})
    throw Object.assign(new Error(`cannot start ${program}: too many open files`), { code: 'EMFILE' })
  }
  return child
}) as typeof spawn

/** Two for each pipe, and two to hear whether the program could be started. */
function filesFor(stdio: SpawnOptions['stdio']): number {
  const pipes = Array.isArray(stdio) ? stdio.filter((one) => one === 'pipe').length : 3
  return 2 * pipes + 2
}

/** Throws what the system says when fewer than these can be opened. */
function requireFiles(count: number): void {
  const files: number[] = []
  try {
    while (files.length < count) files.push(openSync(devNull, 'r'))
  } finally {
    for (const file of files) closeSync(file)
  }
}
