import { setTimeout as pause } from 'node:timers/promises'
import { CadreError } from '@cadre/core'
import { thisProcess } from '@cadre/disk'
import type { Home } from '../home/open-home.ts'
import { Leases } from './leases.ts'

const patience = 30_000

/**
 * Does `work`, which is quick and waits for nothing, while no other cadre process does something under the same name. A
 * process that died meanwhile holds nobody up. Rejects with `owned` when another one keeps the lock without end.
 */
export async function withLock<T>(home: Home, name: string, work: () => T): Promise<T> {
  const leases = new Leases(home, thisProcess())
  // No session's name begins with a dot, so no lease of a session is meant.
  const lock = `.${name}`
  try {
    for (const until = Date.now() + patience; ; ) {
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
