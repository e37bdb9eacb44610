import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { CadreError } from '@cadre/core'
import { isAlive, thisProcess } from '@cadre/disk'
import { daemonLeaseName, runningProcess } from '@cadre/home'
import { requireTrustedHome } from '@cadre/runtime'
import { stopRequest } from '@cadre/server'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { requireOutsideSession } from './require-outside-session.ts'

/** How long it may take to notice the request and shut down. */
const shutdownMs = 5000
const timeoutMs = 90_000

/** `cadre down`. */
export async function stopDaemon(
  io: Io,
  flags: { readonly home?: string; readonly trust?: boolean; readonly json?: boolean },
): Promise<ExitCode> {
  const home = await requireTrustedHome(io, flags)
  requireOutsideSession(home, io)
  const tell = (stopped: boolean, message: string) => {
    io.stdout.write(flags.json ? `${JSON.stringify({ type: 'down', stopped, message })}\n` : `${message}\n`)
    return exitCodes.done
  }
  const owner = existsSync(home.path) ? runningProcess(home, daemonLeaseName) : undefined
  if (owner === undefined) return tell(false, `No daemon is running on ${home.path}.`)
  const request = `${home.folder('storage', 'requests')}/${stopRequest}`
  writeFileSync(request, `${JSON.stringify({ at: new Date().toISOString(), by: process.pid })}\n`, {
    mode: 0o600,
  })
  const begun = performance.now()
  const isOver = () => runningProcess(home, daemonLeaseName)?.token !== owner.token
  let isSignalled = false
  while (!isOver()) {
    const waited = performance.now() - begun
    // It hangs or cannot see the file, so it gets a signal.
    if (waited > shutdownMs && !isSignalled && owner.host === hostname() && existsSync(request)) {
      isSignalled = true
      process.kill(owner.pid, 'SIGTERM')
    }
    if (waited > timeoutMs) {
      rmSync(request, { force: true })
      throw new CadreError(
        'timeout',
        `process ${owner.pid} on ${owner.host} did not stop within ${timeoutMs / 1000} seconds. Check it with "cadre status", or run "kill -9 ${owner.pid}"; the next "cadre up" resumes its work.`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  // The daemon releases the home last; wait until the process itself is gone.
  for (let looks = 0; looks < 100 && owner.host === hostname() && isAlive(owner, thisProcess(), 0); looks++)
    await new Promise((resolve) => setTimeout(resolve, 20))
  return tell(true, `Stopped the daemon on ${home.path} (process ${owner.pid}).`)
}
