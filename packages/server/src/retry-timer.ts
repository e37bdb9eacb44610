/** Says when what waits is tried again: every `every` milliseconds, and at once after a clock was set back. */
export function createRetryTimer(every = 5_000): (now: number) => boolean {
  let next = 0
  return (now) => {
    if (now < next && next - now <= every) return false
    next = now + every
    return true
  }
}
