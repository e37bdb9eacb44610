import type { Problems } from '@cadre/channels'
import { fileOfSession } from '../sessions/session-runs.ts'

/**
 * The problems of sessions that run on workers. If the server does not answer, several parts fail for the same reason, and each of them
 * reports and clears its own problem. A session shows one of them at a time, so that retries do not change what people see.
 */
export class SessionProblems {
  readonly #problems: Problems
  /** By session, in the order of the parts. */
  readonly #messages = new Map<string, (string | undefined)[]>()
  #parts = 0

  constructor(problems: Problems) {
    this.#problems = problems
  }

  /** Returns a function that sets or clears the problem that one part reports. The problems of earlier parts take precedence. */
  reporter(): (session: string, message: string | undefined) => void {
    const part = this.#parts++
    return (session, message) => {
      const messages = this.#messages.get(session) ?? []
      messages[part] = message
      const shown = messages.find((one) => one !== undefined)
      if (shown === undefined) this.#messages.delete(session)
      else this.#messages.set(session, messages)
      this.#problems.report(
        'run',
        fileOfSession(session),
        shown === undefined ? [] : [{ severity: 'error', message: shown }],
      )
    }
  }
}
