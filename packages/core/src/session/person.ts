import type { Answer, Question } from '../ports/engine.ts'
import { Suspended } from '../ports/errors.ts'
import type { Session } from './session.ts'

/**
 * Asks a person. Time limits of this session and those above are paused meanwhile. Returns `undefined` if the session is stopped before an
 * answer arrives. Throws `Suspended` if nobody can answer now.
 */
export async function askPerson(session: Session, question: Question): Promise<Answer | undefined> {
  const { node, run, emit } = session
  node.awaitPerson()
  const { name, call, text, choices } = question
  emit({ type: 'person.asked', question: name, call, text, choices })
  try {
    const answer = await run.waitFor(question, node.signal)
    emit({
      type: 'person.answered',
      question: name,
      decision: answer.decision,
      ...(answer.by && { by: answer.by }),
      ...(answer.reason && { reason: answer.reason }),
    })
    return answer
  } catch (error) {
    if (node.signal.aborted && !(error instanceof Suspended)) return undefined
    throw error
  } finally {
    node.personAnswered()
  }
}
