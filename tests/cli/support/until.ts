import { setTimeout as delay } from 'node:timers/promises'

/** Resolves when the condition is true. Only the time limit of the test ends it otherwise. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(20)
}
