import type { Answer } from '@cadre/core'
import type { AskPerson } from '@cadre/runtime'

/** The questions that runs of this window are waiting for. */
export interface WindowQuestions {
  /**
   * Returns a function with which a run asks. `show` displays a question to the person; without it, it is only in files and
   * views.
   */
  asker(show: AskPerson | undefined): AskPerson
  /** Returns false if there is no such question. */
  answer(session: string, question: string, answer: Answer): boolean
  /** True if a question is displayed to the person and pending. */
  isShown(session: string, question: string): boolean
  /** Leaves all current and future questions to the process that resumes the run. */
  leave(): void
}

export function createWindowQuestions(log: { error(message: string): void }): WindowQuestions {
  const waiting = new Map<string, (answer: Answer | undefined) => void>()
  const shown = new Set<string>()
  let isLeft = false
  return {
    asker: (show) => (session, question, signal, planRule) => {
      const key = keyOf(session, question.name)
      return new Promise<Answer | undefined>((resolve) => {
        const settle = (answer: Answer | undefined) => {
          waiting.delete(key)
          shown.delete(key)
          signal.removeEventListener('abort', leave)
          resolve(answer)
        }
        const leave = () => settle(undefined)
        if (isLeft || signal.aborted) return resolve(undefined)
        waiting.set(key, settle)
        signal.addEventListener('abort', leave, { once: true })
        if (show === undefined) return
        shown.add(key)
        show(session, question, signal, planRule)
          .then((answer) => answer && settle(answer))
          .catch((error) => {
            shown.delete(key)
            log.error(`A question could not be shown: ${String(error)}`)
          })
      })
    },
    answer(session, question, answer) {
      const settle = waiting.get(keyOf(session, question))
      settle?.(answer)
      return settle !== undefined
    },
    isShown: (session, question) => shown.has(keyOf(session, question)),
    leave() {
      isLeft = true
      for (const settle of [...waiting.values()]) settle(undefined)
    },
  }
}

function keyOf(session: string, question: string): string {
  return `${session}\n${question}`
}
