import type { Clock } from '@cadre/core'

/** After how many milliseconds without an event a person is told, each time since the last event. */
const moments = [5_000, 20_000, 60_000, 120_000, 300_000, 600_000]

/**
 * Tells a person that a program is silent: some retry for minutes without a word if they cannot reach their model. Starts again after each
 * event. Returns how to stop.
 */
export function watchSilence(options: {
  readonly clock: Clock
  /** When the program last did something. */
  readonly lastEventAt: () => number
  /** Takes how long the program has been silent, in seconds. */
  readonly tell: (seconds: number) => void
}): () => void {
  const { clock, lastEventAt, tell } = options
  let since = lastEventAt()
  let told = 0
  let cancel = () => {}
  const watch = () => {
    const last = lastEventAt()
    if (last !== since) {
      since = last
      told = 0
    }
    const quiet = clock.now() - since
    const due = moments[told]
    if (due !== undefined && quiet >= due) {
      told += 1
      tell(Math.round(quiet / 1_000))
    }
    const next = moments[told]
    // Also after the last moment: the program may continue and be silent again.
    const wait = next === undefined ? (moments[0] as number) : Math.max(1, next - quiet)
    cancel = clock.after(Math.min(wait, moments[0] as number), watch)
  }
  watch()
  return () => cancel()
}
