export interface Throttle {
  /** Schedules the work. Requests before it starts are merged into one run, and requests during it into one more. */
  soon(): void
  dispose(): void
}

export interface ThrottleOptions {
  /** The minimum time between two runs, in milliseconds. */
  readonly pause: number
  /** The idle time before the work starts, in milliseconds, for typing. Absent: it starts soon after the first request. */
  readonly quiet?: number
  /** Receives errors of the work. */
  readonly log: { error(error: string | Error): void }
}

/** Limits the work to a fifth of the time: the pause grows with its duration. */
const maxWorkShare = 5
/** Changes arrive in bursts. */
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
    next = ended + Math.max(pause, maxWorkShare * (ended - begun))
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
