import { setTimeout as pause } from 'node:timers/promises'
import { CadreError } from '@cadre/core'
import { thisProcess } from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { Leases } from './leases.ts'

const timeoutMs = 30_000

/**
 * Runs `work`, which must be quick and synchronous, while no other Cadre process holds the lock with this name. The lock of a dead process
 * is ignored. Rejects with `owned` if another process does not release the lock.
 */
export async function withLock<T>(home: Home, name: string, work: () => T): Promise<T> {
  const leases = new Leases(home, thisProcess())
  // Session names do not start with a dot, so this cannot be a session's lease.
  const lock = `.${name}`
  try {
    for (const until = Date.now() + timeoutMs; ; ) {
      try {
        leases.acquire(lock)
        break
      } catch (error) {
        if (!(error instanceof CadreError && error.code === 'owned') || Date.now() > until) throw error
        await pause(2 + Math.random() * 8)
      }
    }
    return work()
  } finally {
    leases.close()
  }
}
