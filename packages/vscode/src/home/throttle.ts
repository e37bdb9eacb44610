export interface Throttle {
  /** Does the work soon. What is asked for before it begins is done once, and what is asked for meanwhile once more. */
  soon(): void
  dispose(): void
}

/** Work costs at most a fifth of the time, however often it is asked for: the pause grows with how long it took. */
const share = 5
/** Changes come in bursts. */
const first = 50

export function throttle(work: () => unknown, pause: number): Throttle {
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
    } finally {
      const ended = Date.now()
      next = ended + Math.max(pause, share * (ended - begun))
      isBusy = false
      if (isWanted) soon()
    }
  }
  const soon = () => {
    isWanted = isBusy
    if (isBusy || isDisposed) return
    timer ??= setTimeout(() => void begin(), Math.max(first, next - Date.now()))
  }
  return {
    soon,
    dispose() {
      isDisposed = true
      clearTimeout(timer)
      timer = undefined
    },
  }
}
