import type { HeldLease, Home } from '@cadre/home'
import { acquireHome } from './acquire-home.ts'

/** How long a check of the lease is valid, in milliseconds. */
const ownershipMs = 250

/** The right to act on a home. A daemon that was suspended for long may have lost it to another. */
export class Ownership {
  readonly #lease: HeldLease
  readonly #lost: () => void
  #isLost = false
  #checkedAt = performance.now()

  /** Throws `owned` if another daemon has the home. `lost` is called once, when the home is lost. */
  constructor(home: Home, since: string, lost: () => void) {
    this.#lease = acquireHome(home, since)
    this.#lost = lost
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Checks the lease, but not on every call. */
  isHeld(): boolean {
    const now = performance.now()
    if (this.#isLost || now - this.#checkedAt < ownershipMs) return !this.#isLost
    this.#checkedAt = now
    this.#isLost = !this.#lease.isHeld()
    if (this.#isLost) this.#lost()
    return !this.#isLost
  }

  release(): void {
    this.#lease.release()
  }
}
