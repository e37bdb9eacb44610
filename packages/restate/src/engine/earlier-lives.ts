import { type Clock, type EarlierLives, stopGrace } from '@cadre/core'
import { isAlive, type ProcessIdentity } from '@cadre/disk'

interface LivesOptions {
  readonly lives: readonly ProcessIdentity[]
  readonly self: ProcessIdentity
  readonly clock: Clock
  /** See `WorkerLimits`. */
  readonly fresh: number
}

/**
 * Resolves when no earlier process of an invocation can still act: each of them is known to have ended, or has had the time to notice that it
 * has lost the tree.
 */
export function endOfEarlierLives({ lives, self, clock, fresh }: LivesOptions): Promise<EarlierLives> {
  const isVisible = ({ host, space }: ProcessIdentity) => host === self.host && space === self.space
  const hasEnded = (life: ProcessIdentity) => isVisible(life) && !isAlive(life, self, 0)
  const mayAct = lives.some((life) => life.token !== self.token && !hasEnded(life))
  const earlier = lives.every(isVisible) ? 'here' : 'elsewhere'
  if (!mayAct) return Promise.resolve(earlier)
  // A cut-off worker notices within twice `fresh`, by its pings to the server.
  return new Promise((resolve) => void clock.after(2 * fresh + stopGrace, () => resolve(earlier)))
}
