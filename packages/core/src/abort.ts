/** The promise's value, or `instead` as soon as the signal is aborted. The promise itself is left to end by itself. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal, instead: T): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {})
    return Promise.resolve(instead)
  }
  return new Promise((resolve, reject) => {
    const stop = () => resolve(instead)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(
      (value) => {
        signal.removeEventListener('abort', stop)
        resolve(value)
      },
      (error) => {
        signal.removeEventListener('abort', stop)
        reject(error)
      },
    )
  })
}
