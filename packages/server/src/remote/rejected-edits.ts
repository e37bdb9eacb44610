import { existsSync } from 'node:fs'
import type { KeeperOptions } from '../sessions/create-session-keeper.ts'
import { fileOfSession } from '../sessions/session-runs.ts'

/** Edits of session files that were not applied. Each is a problem until the person removes the copy of the edited file. */
export class RejectedEdits {
  readonly #problems: KeeperOptions['problems']
  /** The copies, by session. */
  readonly #kept = new Map<string, string>()

  constructor(problems: KeeperOptions['problems']) {
    this.#problems = problems
  }

  add(session: string, message: string, kept: string): void {
    this.#kept.set(session, kept)
    this.#problems.report('edit', fileOfSession(session), [{ severity: 'error', message }])
  }

  clearSolved(): void {
    for (const [session, kept] of this.#kept) {
      if (existsSync(kept)) continue
      this.#kept.delete(session)
      this.#problems.report('edit', fileOfSession(session), [])
    }
  }
}
