import { CadreError } from '@cadre/core'
import { type ProcessIdentity, thisProcess } from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { Leases } from './leases.ts'
import { runningProcess } from './running-process.ts'

export interface HeldLease {
  /**
   * Returns whether the lease is still held: a process that was suspended for long may have lost it. Recreates a lease file that was
   * deleted.
   */
  isHeld(): boolean
  release(): void
}

export type LeaseAttempt =
  | { readonly kind: 'held'; readonly lease: HeldLease }
  /** Another process has it. `by`: its identity, if known. */
  | { readonly kind: 'owned'; readonly by: ProcessIdentity | undefined }

/**
 * Takes a lease that is not for a session, under the same rules: one live process holds it, and the lease of a dead one is taken over. The
 * name starts with a dot, so it cannot be a session's.
 */
export function holdLease(home: Home, name: string, as: Partial<ProcessIdentity> = {}): LeaseAttempt {
  const leases = new Leases(home, thisProcess(as))
  try {
    leases.acquire(name)
    return { kind: 'held', lease: { isHeld: () => leases.keeps(name), release: () => leases.close() } }
  } catch (error) {
    leases.close()
    if (!(error instanceof CadreError) || error.code !== 'owned') throw error
    return { kind: 'owned', by: runningProcess(home, name) }
  }
}
