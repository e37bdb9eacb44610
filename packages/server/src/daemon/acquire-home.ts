import { CadreError } from '@cadre/core'
import { readRegularFile } from '@cadre/disk'
import { daemonLeaseName, type HeldLease, type Home, holdLease, runningProcess } from '@cadre/home'
import { type DaemonStatus, statusFile } from './daemon-status.ts'
import { describeSystemError } from './describe-system-error.ts'
import { readFallbackStatus } from './fallback-status.ts'

/**
 * Takes the daemon's lease of a home. Throws `owned`, with the owner, if another daemon is running. Takes over the lease of a dead process.
 */
export function acquireHome(home: Home, since: string): HeldLease {
  const attempt = tryHold(home, since)
  if (attempt.kind === 'held') return attempt.lease
  const { by } = attempt
  const who = by === undefined ? 'another process' : `process ${by.pid} on ${by.host}`
  throw new CadreError(
    'owned',
    `a daemon is already running for this home directory: ${who}. Inspect it with "cadre status", or stop it with "cadre down".`,
    { where: home.path },
  )
}

function tryHold(home: Home, since: string) {
  try {
    return holdLease(home, daemonLeaseName, { since })
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error
    throw new CadreError(
      'configuration',
      `cannot start the daemon. ${describeSystemError(error)}, or choose another home directory with --home.`,
      {
        where: home.path,
        cause: error,
      },
    )
  }
}

/** Reads the last status of a home's daemon. */
export function readStatus(home: Home): DaemonStatus | undefined {
  const elsewhere = readFallbackStatus(home)
  if (elsewhere !== undefined && elsewhere.pid === runningProcess(home, daemonLeaseName)?.pid)
    return elsewhere
  try {
    return JSON.parse(readRegularFile(home.at(...statusFile)).toString('utf8')) as DaemonStatus
  } catch {
    return undefined
  }
}
