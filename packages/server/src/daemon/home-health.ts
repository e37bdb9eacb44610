/**
 * Tracks whether the home is writable. Called every second by the daemon, and after every failed write.
 *
 * 1. While there is no sign of a problem, it writes nothing: it only checks free space and permissions.
 * 2. There is one problem for the whole home, however many writes fail.
 * 3. When the home is writable again, it notifies once, so that waiting work continues.
 */
import { accessSync, closeSync, constants, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import path from 'node:path'
import type { Problems } from '@cadre/channels'
import { systemErrorCode } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { describeSystemError } from './describe-system-error.ts'

export interface HomeHealth {
  /** Call it when a write failed. Returns true if the system is the cause, so that the write can be retried unchanged. */
  suspect(error: unknown): boolean
  /** Checks the home. Call it regularly. */
  look(): void
  readonly isHealthy: boolean
}

export interface HomeHealthOptions {
  readonly home: Home
  readonly problems: Problems
  readonly recovered: () => void
}

const about = 'home'
const place = '[home]'
/** The free bytes required before the home counts as writable again. */
const minFreeBytes = 64 << 10
const maxPause = 60_000

export function watchHealth({ home, problems, recovered }: HomeHealthOptions): HomeHealth {
  let isHealthy = true
  /** Grows if writes keep failing although the probe succeeds, so that work does not restart every second. */
  let pause = 0
  let notBefore = 0
  let recoveredAt = Number.NEGATIVE_INFINITY

  const find = (why: string | undefined) => {
    problems.report(about, place, why === undefined ? [] : [{ severity: 'error', message: why }])
    const wasHealthy = isHealthy
    isHealthy = why === undefined
    if (!isHealthy || wasHealthy) return
    recoveredAt = performance.now()
    recovered()
  }
  return {
    get isHealthy() {
      return isHealthy
    },
    suspect(error) {
      const code = systemErrorCode(error)
      if (code === undefined) return false
      // Report immediately, so that `cadre status` shows it.
      if (isHealthy) {
        const now = performance.now()
        pause = now - recoveredAt > maxPause ? 0 : Math.min(maxPause, Math.max(1000, pause * 2))
        notBefore = now + pause
        find(sentence(error))
      }
      return true
    },
    look() {
      if (isHealthy && looksHealthy(home)) return
      if (performance.now() >= notBefore) find(probe(home))
    },
  }
}

function looksHealthy(home: Home): boolean {
  try {
    accessSync(home.path, constants.W_OK)
    const { bavail, bsize } = statfsSync(home.path)
    return bavail * bsize > minFreeBytes
  } catch {
    return false
  }
}

/** Returns the reason why nothing can be written, or `undefined`. */
function probe(home: Home): string | undefined {
  const file = path.join(home.path, 'storage', `.probe.${process.pid}.tmp`)
  try {
    home.folder('storage')
    const handle = openSync(file, 'w', 0o600)
    try {
      const bytes = Buffer.alloc(minFreeBytes)
      for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done)
    } finally {
      closeSync(handle)
    }
    return undefined
  } catch (error) {
    return sentence(error)
  } finally {
    try {
      rmSync(file, { force: true })
    } catch {
      // The file was not created, or is removed at the next check.
    }
  }
}

function sentence(error: unknown): string {
  return `${describeSystemError(error)}. No data is lost, and work continues as soon as Cadre can write again.`
}
