import type { Answer } from '@cadre/core'
import type { AskPerson } from '@cadre/runtime'

/** The questions that the runs of this window wait with. */
export interface OpenQuestions {
  /** Lets a run ask. `show` puts a question where the person looks; without it, only files and views tell of it. */
  asker(show: AskPerson | undefined): AskPerson
  /** False when there is no such question. */
  answer(session: string, question: string, answer: Answer): boolean
  /** Whether a question was put where the person looks, and waits there. */
  isShown(session: string, question: string): boolean
  /** Leaves every question to whoever resumes its run: those there are, and those to come. */
  leave(): void
}

export function createOpenQuestions(log: { error(message: string): void }): OpenQuestions {
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
