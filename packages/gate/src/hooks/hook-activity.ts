let started = 0
let running = 0

/** Hooks are programs of ours: what they log while something is watched is not the doing of what is watched. */
export async function asHookActivity<T>(work: () => Promise<T>): Promise<T> {
  started++
  running++
  try {
    return await work()
  } finally {
    running--
  }
}

/** Tells, whenever it is asked, whether a hook has run at any time since. */
export function watchHookActivity(): () => boolean {
  const before = started
  const wasRunning = running > 0
  return () => wasRunning || started > before
}
