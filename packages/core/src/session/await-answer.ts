import type { Answer, Question, Run } from '../ports/engine.ts'
import { Suspended } from '../ports/errors.ts'
import type { Session } from './session.ts'

/**
 * Asks a person. Time limits of this session and those above are paused meanwhile. Returns `undefined` if the session is stopped before an
 * answer arrives. Throws `Suspended` if nobody can answer now.
 */
export async function awaitAnswer(session: Session, question: Question): Promise<Answer | undefined> {
  const { node, run, emit } = session
  node.awaitPerson()
  const { name, call, text, choices } = question
  const since = recordedAt(run, 'person.asked', name)
  emit({ type: 'person.asked', question: name, call, text, choices, ...(since && { since }) })
  try {
    const answer = await run.waitFor(question, node.signal)
    const answeredAt = recordedAt(run, 'person.answered', name)
    emit({
      type: 'person.answered',
      question: name,
      decision: answer.decision,
      ...(answer.by && { by: answer.by }),
      ...(answer.reason && { reason: answer.reason }),
      ...(answer.votes && { votes: answer.votes }),
      ...(answeredAt && { answeredAt }),
    })
    return answer
  } catch (error) {
    if (node.signal.aborted && !(error instanceof Suspended)) return undefined
    throw error
  } finally {
    node.personAnswered()
  }
}

/** When an earlier life, or another process while none was running, recorded this. */
function recordedAt({ recorded }: Run, type: 'person.asked' | 'person.answered', name: string) {
  return recorded.find((entry) => entry.role === 'event' && entry.type === type && entry['name'] === name)
    ?.timestamp
}
