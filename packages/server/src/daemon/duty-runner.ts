/**
 * Owns the calls of one duty.
 *
 * 1. One method of the duty runs at a time. Changes in the meantime are passed on together afterwards.
 * 2. `start` is called first, and repeated until it succeeds. Nothing else is called before.
 * 3. A rejected call is reported as a problem until a call succeeds. Its files are passed on again with the next change, or after a growing
 *    delay.
 * 4. Nothing is called after `stop`.
 */

import type { Problems } from '@cadre/channels'
import { messageOf } from '@cadre/core'
import type { Duty } from '../duty.ts'

export interface DutyRunner {
  readonly duty: Duty
  changed(files: readonly string[]): void
  tick(now: number): void
  /** Runs `start` again, because earlier results may not have been written. */
  restart(): void
  /** Resolves when no call is running. Failed calls are retried later. */
  idle(): Promise<void>
  stop(): Promise<void>
}

export interface RunDutyOptions {
  /** Receives the error of a rejected call, in addition to the problem. */
  readonly failed?: (error: unknown) => void
  /** Called before each call of the duty. */
  readonly mayRun?: () => boolean
}

const firstPause = 1000
const maxPause = 60_000

export function runDuty(
  duty: Duty,
  problems: Problems,
  { failed = () => {}, mayRun = () => true }: RunDutyOptions = {},
): DutyRunner {
  const due = new Set<string>()
  let isStarted = false
  let wasStarted = false
  let wantsTick: number | undefined
  let failures = 0
  let notBefore = 0
  let isStopped = false
  let busy: Promise<void> | undefined

  const attempt = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work()
      failures = 0
      problems.report('duty', `[${duty.name}]`, [])
      return true
    } catch (error) {
      failures += 1
      // The system clock can be changed.
      notBefore = performance.now() + Math.min(maxPause, firstPause * 2 ** (failures - 1))
      failed(error)
      problems.report('duty', `[${duty.name}]`, [{ severity: 'error', message: messageOf(error) }])
      return false
    }
  }
  const step = async (): Promise<boolean> => {
    if (!isStarted) {
      const files = [...due]
      due.clear()
      // `start` checks everything, so it covers all changes up to now.
      isStarted = await attempt(() => duty.start())
      wasStarted ||= isStarted
      if (!isStarted) for (const file of files) due.add(file)
      return isStarted
    }
    if (due.size > 0) {
      const files = [...due]
      due.clear()
      const isDone = await attempt(() => duty.changed(files))
      if (!isDone) for (const file of files) due.add(file)
      return isDone
    }
    if (wantsTick === undefined || duty.tick === undefined) return false
    const now = wantsTick
    wantsTick = undefined
    return attempt(async () => duty.tick?.(now))
  }
  const hasMore = () => isStarted && failures === 0 && duty.hasMore?.() === true
  const isDue = () => !isStarted || due.size > 0 || (wantsTick !== undefined && duty.tick !== undefined)
  const run = () => {
    if (busy !== undefined || isStopped) return
    if (!isDue() && hasMore()) wantsTick = Date.now()
    busy = (async () => {
      while (!isStopped && isDue() && mayRun()) if (!(await step())) break
    })().finally(() => {
      busy = undefined
      if (hasMore() && mayRun()) setImmediate(run)
    })
  }
  run()
  return {
    duty,
    changed(files) {
      for (const file of files) due.add(file)
      run()
    },
    tick(now) {
      wantsTick = now
      if (failures > 0 && performance.now() < notBefore) return
      run()
    },
    restart() {
      isStarted = false
      failures = 0
      run()
    },
    async idle() {
      while (busy !== undefined) await busy
    },
    async stop() {
      isStopped = true
      await busy
      if (wasStarted) await attempt(async () => duty.stop?.())
    },
  }
}
