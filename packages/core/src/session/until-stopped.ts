/** What can be stopped. Cheaper to listen to than a signal, which matters when every question and every call does. */
export interface Stoppable {
  readonly isStopped: boolean
  /** Calls back once when it is stopped; the returned function takes that back. */
  onStop(callback: () => void): () => void
}

/** The promise's value, or `instead` as soon as it is stopped. The promise itself is left to end by itself. */
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
