/** Calls a function a while after the last request, and never twice at the same time. */
export interface Debounced {
  request(): void
  dispose(): void
}

/** `work` must not throw. What is requested while it works is done afterwards. */
export function debounced(work: () => Promise<void>, milliseconds: number): Debounced {
  let timer: NodeJS.Timeout | undefined
  let isWorking = false
  let isWanted = false
  let isDisposed = false

  const request = () => {
    clearTimeout(timer)
    timer = isDisposed ? undefined : setTimeout(() => void run(), milliseconds)
  }

  async function run() {
    if (isWorking) {
      isWanted = true
      return
    }
    isWorking = true
    try {
      await work()
    } finally {
      isWorking = false
    }
    if (!isWanted) return
    isWanted = false
    request()
  }

  return {
    request,
    dispose() {
      isDisposed = true
      clearTimeout(timer)
    },
  }
}
