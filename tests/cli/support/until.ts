import { setTimeout as delay } from 'node:timers/promises'

/**
 * Resolves when the condition is true. Only the time limit of the test ends it otherwise. The pause is three times as long as the
 * check, so that checking leaves the processor to what it waits for.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (;;) {
    const began = performance.now()
    if (await holds()) return
    await delay(Math.max(20, 3 * (performance.now() - began)))
  }
}
