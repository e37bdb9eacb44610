/**
 * Something that can be stopped. Listening is cheaper than on an `AbortSignal`, which matters because every request and every call listens.
 */
export interface Stoppable {
  readonly isStopped: boolean
  /** Calls `callback` once when it is stopped. The returned function unsubscribes. */
  onStop(callback: () => void): () => void
}

/** Resolves with the promise's value, or with `instead` as soon as it is stopped. Does not abort the promise. */
export function untilStopped<T>(promise: Promise<T>, on: Stoppable, instead: T): Promise<T> {
  if (on.isStopped) {
    promise.catch(() => {})
    return Promise.resolve(instead)
  }
  return new Promise((resolve, reject) => {
    const unsubscribe = on.onStop(() => resolve(instead))
    promise.then(
      (value) => {
        unsubscribe()
        resolve(value)
      },
      (error) => {
        unsubscribe()
        reject(error)
      },
    )
  })
}
