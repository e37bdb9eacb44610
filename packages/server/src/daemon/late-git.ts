/**
 * Owns the opening of a home's git, which nothing waits for.
 *
 * 1. What is noted before it is open is noted when it is, in order.
 * 2. `flush` and `close` wait for it to be open. Neither opens it.
 */
import { messageOf } from '@cadre/core'
import type { HomeGit } from './daemon-runtime.ts'

export class LateGit {
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

  /** Why what was done is not in the history yet. */
  get failing(): string | undefined {
    return this.#git?.failing
  }

  /** Once it is open, or being opened, nothing more happens; where it could not be, it is tried again. */
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
