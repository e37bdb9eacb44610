import type { HeldLease, Home } from '@cadre/home'
import { ownHome } from './own-home.ts'

/** For so long the daemon relies on owning the home before it looks again. */
const ownershipMs = 250

/** The right to act on a home. A daemon that stood still for long may have been taken for dead, and lost it to another. */
export class Ownership {
  readonly #lease: HeldLease
  readonly #lost: () => void
  #isLost = false
  #lookedAt = performance.now()

  /** Throws `owned` when another daemon has the home. `lost` is called once, when it has been lost. */
  constructor(home: Home, since: string, lost: () => void) {
    this.#lease = ownHome(home, since)
    this.#lost = lost
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Looks again, but not at every call. */
  isHeld(): boolean {
    const now = performance.now()
    if (this.#isLost || now - this.#lookedAt < ownershipMs) return !this.#isLost
    this.#lookedAt = now
    this.#isLost = !this.#lease.isHeld()
    if (this.#isLost) this.#lost()
    return !this.#isLost
  }

  release(): void {
    this.#lease.release()
  }
}
