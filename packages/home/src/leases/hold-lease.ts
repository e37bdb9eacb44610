import { CadreError } from '@cadre/core'
import { type ProcessIdentity, thisProcess } from '@cadre/disk'
import type { Home } from '../home/open-home.ts'
import { Leases } from './leases.ts'
import { runningProcess } from './running-process.ts'

export interface HeldLease {
  /** Whether it is still held: whoever stood still for long may have been taken for dead. One that somebody tidied away is taken again. */
  isHeld(): boolean
  release(): void
}

export type LeaseAttempt =
  | { readonly kind: 'held'; readonly lease: HeldLease }
  /** Another process has it; who it is, as far as its card says. */
  | { readonly kind: 'owned'; readonly by: ProcessIdentity | undefined }

/**
 * Takes a lease of a home that belongs to no session, by the rules of those that do: one living process has it, that of a dead
 * one is taken over. A name that begins with a dot cannot be that of a session.
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
