const maxDelay = 30_000
const maxDoublings = 6

/** The pause after the n-th failure in a row: longer each time, with random jitter. */
export function backoff(failures: number, baseMs: number): number {
  const full = Math.min(maxDelay, baseMs * 2 ** Math.min(failures, maxDoublings))
  return full / 2 + Math.random() * (full / 2)
}
