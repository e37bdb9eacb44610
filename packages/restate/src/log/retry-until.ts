const longestDelay = 1_000

/** Repeats work that fails, for example because the server restarts, until it succeeds or the life is lost. */
export async function retryUntil<T>(
  work: () => Promise<T>,
  lost: AbortSignal,
  failed: (error: unknown) => void = () => {},
): Promise<T> {
  for (let delay = 20; ; delay = Math.min(2 * delay, longestDelay)) {
    lost.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!isTemporary(error)) throw error
      failed(error)
    }
    await new Promise((resolve) => setTimeout(resolve, delay))
  }
}

/** The server cannot be reached, or answers with an error. */
function isTemporary(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'backend'
}
