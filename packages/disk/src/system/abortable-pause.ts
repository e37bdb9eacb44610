import { setTimeout as sleep } from 'node:timers/promises'

/** Waits, or resolves early when `signal` aborts. Does not keep the process alive. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {})
}
