/** Returns a function that returns true when a retry is due: every `every` milliseconds, and immediately if the clock was set back. */
export function createRetryTimer(every = 5_000): (now: number) => boolean {
  let next = 0
  return (now) => {
    if (now < next && next - now <= every) return false
    next = now + every
    return true
  }
}
