/**
 * Starts the runtime on first use, and ends it when it was idle for a while.
 *
 * 1. At most one runtime is running or starting.
 * 2. An exited runtime is never returned; the next caller gets a new one.
 */

import type { Clock } from '@cadre/core'
import type { CopilotRuntime } from './runtime.ts'

export class RuntimeHost {
  readonly #start: () => Promise<CopilotRuntime>
  readonly #clock: Clock
  readonly #idleTime: number
  #current: Promise<CopilotRuntime> | undefined
  #users = 0
  #stopWaiting: (() => void) | undefined

  constructor(start: () => Promise<CopilotRuntime>, clock: Clock, idleTime = 60_000) {
    this.#start = start
    this.#clock = clock
    this.#idleTime = idleTime
  }

  /** Rejects if the runtime cannot be started. The next call tries again. */
  async get(): Promise<CopilotRuntime> {
    this.#current ??= this.#start()
    const starting = this.#current
    const runtime = await starting.catch((error: unknown) => {
      if (this.#current === starting) this.#current = undefined
      throw error
    })
    if (!runtime.isEnded) return runtime
    if (this.#current === starting) this.#current = undefined
    return this.get()
  }

  /** Keeps the runtime until the returned function is called. */
  hold(): () => void {
    this.#users++
    this.#stopWaiting?.()
    this.#stopWaiting = undefined
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#users--
      if (this.#users === 0) this.#stopWaiting = this.#clock.after(this.#idleTime, () => void this.end())
    }
  }

  async end(): Promise<void> {
    this.#stopWaiting?.()
    const ending = this.#current
    this.#current = undefined
    await ending?.then((runtime) => runtime.end()).catch(() => {})
  }
}
