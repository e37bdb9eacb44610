export interface Throttle {
  /** Does the work soon. What is asked for before it begins is done once, and what is asked for meanwhile once more. */
  soon(): void
  dispose(): void
}

export interface ThrottleOptions {
  /** Milliseconds between two times, at least. */
  readonly pause: number
  /** Milliseconds without a request before the work begins, for what somebody types. Without it, the work begins soon after the first one. */
  readonly quiet?: number
  /** Gets what the work fails with. */
  readonly log: { error(error: string | Error): void }
}

/** Work costs at most a fifth of the time, however often it is asked for: the pause grows with how long it took. */
const share = 5
/** Changes come in bursts. */
const first = 50

export function throttle(work: () => unknown, { pause, quiet, log }: ThrottleOptions): Throttle {
  let timer: NodeJS.Timeout | undefined
  let isBusy = false
  let isWanted = false
  let isDisposed = false
  let next = 0
  const begin = async () => {
    timer = undefined
    isBusy = true
    const begun = Date.now()
    try {
      await work()
    } catch (error) {
      log.error(error instanceof Error ? error : String(error))
    }
    const ended = Date.now()
    next = ended + Math.max(pause, share * (ended - begun))
    isBusy = false
    if (isWanted) soon()
  }
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const soon = () => {
    isWanted = isBusy
    if (isBusy || isDisposed) return
    if (quiet !== undefined) stop()
    timer ??= setTimeout(() => void begin(), Math.max(quiet ?? first, next - Date.now()))
  }
  return {
    soon,
    dispose() {
      isDisposed = true
      stop()
    },
  }
}
