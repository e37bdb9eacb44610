import { writeOwnFile } from '@cadre/channels'
import type { Home } from '@cadre/home'
import type { DaemonStatus } from './daemon-status.ts'
import { statusFile } from './daemon-status.ts'
import { forgetElsewhere, writeElsewhere } from './status-elsewhere.ts'

export interface StatusPublisher {
  /** Something has changed: written soon, however often it is said. */
  changed(): void
  now(): void
  stop(): void
}

/** Milliseconds between two writings. */
const pause = 250

/** Keeps `storage/daemon.json` up to date. A disk that is full is said, and does not keep the daemon from working. */
export function publishStatus(
  home: Home,
  status: () => DaemonStatus,
  failed: (error: unknown) => void,
): StatusPublisher {
  let timer: NodeJS.Timeout | undefined
  let writtenAt = 0
  let isStopped = false
  // What an earlier process may have left.
  let isElsewhere = true
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    writtenAt = performance.now()
    try {
      writeOwnFile(home, statusFile, JSON.stringify(status(), null, 1))
      if (isElsewhere) forgetElsewhere(home)
      isElsewhere = false
      failed(undefined)
    } catch (error) {
      failed(error)
      isElsewhere = true
      writeElsewhere(home, JSON.stringify(status(), null, 1))
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
