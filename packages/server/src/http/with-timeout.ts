/** Resolves with the work's result, or with `late` after a timeout. The work may still finish. */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  }).then(late)
  // Otherwise a late rejection would be unhandled.
  timeout.catch(() => {})
  work.catch(() => {})
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
