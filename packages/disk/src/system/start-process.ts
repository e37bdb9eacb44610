import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/**
 * Starts a program like `spawn`, but throws if there are too few file descriptors for its pipes. In that case, `spawn` returns a child
 * without pipes, emits the error before a listener can be added, and may never close the pipes it created.
 */
export const startProcess = ((program: string, args: readonly string[], options: SpawnOptions) => {
  requireFiles(filesFor(options.stdio))
  const child = spawn(program, args, options)
  // Another thread used the descriptors in the meantime.
  if ((child as { readonly stdio?: ChildProcess['stdio'] }).stdio === undefined) {
    child.on('error', () => {})
    throw Object.assign(new Error(`cannot start ${program}: too many open files`), { code: 'EMFILE' })
  }
  return child
}) as typeof spawn

/** Two for each pipe, and two to learn whether the program started. */
function filesFor(stdio: SpawnOptions['stdio']): number {
  const pipes = Array.isArray(stdio) ? stdio.filter((one) => one === 'pipe').length : 3
  return 2 * pipes + 2
}

/** Throws the system error if fewer than `count` files can be opened. */
function requireFiles(count: number): void {
  const files: number[] = []
  try {
    while (files.length < count) files.push(openSync(devNull, 'r'))
  } finally {
    for (const file of files) closeSync(file)
  }
}
