import { writeFileAtomically } from '@cadre/channels'
import type { Home } from '@cadre/home'
import type { DaemonStatus } from './daemon-status.ts'
import { statusFile } from './daemon-status.ts'
import { removeFallbackStatus, writeFallbackStatus } from './fallback-status.ts'

export interface StatusPublisher {
  /** Schedules a write. Repeated calls are combined. */
  changed(): void
  now(): void
  stop(): void
}

/** Milliseconds between two writes. */
const pause = 250

/** Keeps `storage/daemon.json` up to date. Reports a full disk, but does not stop the daemon. */
export function publishStatus(
  home: Home,
  status: () => DaemonStatus,
  failed: (error: unknown) => void,
): StatusPublisher {
  let timer: NodeJS.Timeout | undefined
  let writtenAt = 0
  let isStopped = false
  // An earlier process may have left a file.
  let isElsewhere = true
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    writtenAt = performance.now()
    try {
      writeFileAtomically(home, statusFile, JSON.stringify(status(), null, 1))
      if (isElsewhere) removeFallbackStatus(home)
      isElsewhere = false
      failed(undefined)
    } catch (error) {
      failed(error)
      isElsewhere = true
      writeFallbackStatus(home, JSON.stringify(status(), null, 1))
    }
  }
  return {
    changed() {
      if (!isStopped) timer ??= setTimeout(write, Math.max(0, writtenAt + pause - performance.now())).unref()
    },
    now: write,
    stop() {
      clearTimeout(timer)
      isStopped = true
    },
  }
}
