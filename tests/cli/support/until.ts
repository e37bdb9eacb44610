import { setTimeout as delay } from 'node:timers/promises'

/** Resolves when the condition holds. Ends by the time limit of the test, and by nothing else. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(20)
}
