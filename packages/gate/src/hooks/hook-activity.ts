let started = 0
let running = 0

/** Marks work as caused by a hook: a log file that a hook writes during a watched command was not written by that command. */
export async function runAsHookActivity<T>(work: () => Promise<T>): Promise<T> {
  started++
  running++
  try {
    return await work()
  } finally {
    running--
  }
}

/** Returns a function that reports whether a hook has run since. */
export function watchHookActivity(): () => boolean {
  const before = started
  const wasRunning = running > 0
  return () => wasRunning || started > before
}
