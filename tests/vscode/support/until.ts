import { setTimeout as delay } from 'node:timers/promises'

/** No test depends on it: it only ends waits for something that never happens, even on a busy machine. */
export const timeoutMs = 120_000

/** Returns the first result of `look` that is neither undefined nor false. Fails after two minutes and names what was missing. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const end = Date.now() + timeoutMs
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (Date.now() > end) throw new Error(`Timed out waiting for ${what}.`)
    await delay(50)
  }
}
