/**
 * Owns the current generation of settings and parts.
 *
 * 1. There is one active orchestrator. It is replaced only while nothing runs.
 * 2. An invalid configuration changes nothing: the old one stays active, and the problem is reported until it is fixed.
 * 3. Sessions that were paused for a change resume with the new parts.
 */

import type { Problems, RecordEvent } from '@cadre/channels'
import { CadreError, type Orchestrator, sentenceOf } from '@cadre/core'
import { systemErrorCode } from '@cadre/disk'
import type { DaemonParts, DaemonRuntime } from './daemon-runtime.ts'

export interface Generation {
  readonly parts: DaemonParts
  readonly orchestrator: Orchestrator
}

export interface GenerationsOptions {
  readonly runtime: DaemonRuntime
  readonly note: RecordEvent
  readonly problems: Problems
  /** Suspends all sessions, and starts no others. */
  readonly hold: () => Promise<void>
  readonly release: () => void
  /** Called when a new generation becomes active or is waiting. */
  readonly changed: () => Promise<void> | void
}

export class Generations {
  readonly #options: GenerationsOptions
  #current: Generation | undefined
  #stamp = ''
  #isPending = false
  #checking: Promise<void> | undefined

  constructor(options: GenerationsOptions) {
    this.#options = options
  }

  get current(): Generation {
    if (this.#current === undefined) throw new Error('unreachable: no generation is loaded')
    return this.#current
  }

  get isPending(): boolean {
    return this.#isPending
  }

  async begin(): Promise<void> {
    const { runtime } = this.#options
    let parts: DaemonParts
    // Loaded files can name other files, such as tools. Load again until the stamp covers all of them.
    for (let tries = 3; ; tries--) {
      this.#stamp = runtime.stamp()
      parts = await runtime.load()
      if (tries === 0 || runtime.stamp() === this.#stamp) break
      await parts.close?.()
    }
    this.#current = { parts, orchestrator: parts.begin() }
    this.#tellNotices(parts)
  }

  /** Ends the programs of the current parts. */
  async close(): Promise<void> {
    await this.#current?.parts.close?.()
  }

  /** Checks whether the files have changed. */
  async check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #check(): Promise<void> {
    const { runtime, problems, note, hold, release, changed } = this.#options
    const stamp = runtime.stamp()
    if (stamp === this.#stamp) return
    this.#stamp = stamp
    let parts: DaemonParts
    try {
      parts = await runtime.load()
    } catch (error) {
      if (systemErrorCode(error) !== undefined) {
        // The files are not the cause, so they are read again.
        this.#stamp = ''
        throw error
      }
      const message = `${sentenceOf(error)} The previous configuration stays in effect.`
      const code = error instanceof CadreError ? error.code : 'configuration'
      problems.report('configuration', 'config.yaml', [{ severity: 'error', code, message }])
      return
    }
    problems.report('configuration', 'config.yaml', [])
    this.#isPending = true
    void changed()
    await hold()
    const earlier = this.#current?.parts
    this.#current = { parts, orchestrator: parts.begin() }
    await earlier?.close?.()
    this.#isPending = false
    note({ type: 'configuration.changed', message: 'The configuration was reloaded.' })
    this.#tellNotices(parts)
    release()
    await changed()
  }

  #tellNotices({ notices }: DaemonParts): void {
    this.#options.problems.report(
      'notices',
      '[configuration]',
      notices.map(({ code, message }) => ({ severity: 'warning' as const, code, message })),
    )
  }
}
