const longest = 30_000
const mostDoublings = 6

/** How long to wait after the n-th failure in a row: longer each time, and not in step with everybody else. */
export function backoff(failures: number, baseMs: number): number {
  const full = Math.min(longest, baseMs * 2 ** Math.min(failures, mostDoublings))
  return full / 2 + Math.random() * (full / 2)
}
