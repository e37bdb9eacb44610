/**
 * Opens a home's git in the background.
 *
 * 1. Earlier notes are passed on in order when it is open.
 * 2. `flush` and `close` wait for it to be open. Neither opens it.
 */
import { messageOf } from '@cadre/core'
import type { HomeGit } from './daemon-runtime.ts'

export class DeferredGit {
  readonly #opened: () => void
  #git: HomeGit | undefined
  #opening: Promise<void> | undefined
  #notes: string[] = []
  #missing: string | undefined

  constructor(opened: () => void) {
    this.#opened = opened
  }

  get missing(): string | undefined {
    return this.#git?.missing ?? this.#missing
  }

  /** The reason why changes are not in the history yet. */
  get failing(): string | undefined {
    return this.#git?.failing
  }

  /** Does nothing if git is open or being opened. Retries after a failure. */
  open(open: () => Promise<HomeGit>): void {
    if (this.#opening !== undefined && this.missing === undefined) return
    this.#missing = undefined
    this.#git = undefined
    this.#opening = open().then(
      (git) => {
        this.#git = git
        for (const message of this.#notes.splice(0)) git.note(message)
        this.#opened()
      },
      (error) => {
        this.#missing = messageOf(error)
        this.#notes = []
        this.#opened()
      },
    )
  }

  note(message: string): void {
    if (this.#git !== undefined) this.#git.note(message)
    else if (this.#missing === undefined) this.#notes.push(message)
  }

  async flush(): Promise<void> {
    await this.#opening
    await this.#git?.flush()
  }

  async close(): Promise<void> {
    await this.#opening
    await this.#git?.close()
  }
}
