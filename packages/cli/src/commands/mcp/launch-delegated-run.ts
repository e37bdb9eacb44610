import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { ownerOnly } from '@cadre/disk'
import type { DelegatedRun } from '@cadre/protocols'
import type { Io } from '../../io.ts'

/** Starts each delegated run in its own process. It outlives this process and its terminal. */
export function launchDelegatedRun(io: Io, home: string | undefined) {
  return ({ id, workspace }: DelegatedRun, log: string): void => {
    const output = openSync(log, 'a', ownerOnly)
    try {
      const place = home === undefined ? [] : ['--home', home]
      const child = spawn(
        process.execPath,
        [process.argv[1] as string, 'mcp', 'work', '--workspace', workspace, ...place, id],
        { cwd: io.cwd, env: io.env, detached: true, windowsHide: true, stdio: ['ignore', output, output] },
      )
      // A caller that waits for the run sees that it did not start.
      child.on('error', (error) => io.warn(`cannot start a process for ${id}: ${error.message}`))
      child.unref()
    } finally {
      closeSync(output)
    }
  }
}
