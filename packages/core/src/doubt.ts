import { actionOf } from './approval.ts'
import type { Question } from './engine.ts'
import type { JudgedCall } from './gate.ts'
import { contextOf, type Outcome } from './perform.ts'
import { askPerson } from './person.ts'
import type { Session } from './session.ts'

/**
 * A call that was started before this life of the session and has no result: its effect may have happened. What only reads is
 * run again, a write is checked, and what can neither be repeated nor checked is put before a person. No effect is ever
 * silently repeated. Gives back `run` when running the call is right, and nothing when the session is being stopped.
 */
export async function settleDoubt(
  session: Session,
  judged: JudgedCall,
): Promise<Outcome | 'run' | undefined> {
  const { tool, input, call } = judged
  if (tool.effect === 'read') return 'run'
  const verdict = await session.gate.judgeAgain(judged, session.spec, session.node.signal)
  if (verdict.kind === 'allow' && verdict.readsOnly === true) return 'run'
  if (tool.check !== undefined) {
    const found = await tool
      .check(input, contextOf(session, call.id), session.node.signal)
      .catch(() => 'unknown' as const)
    if (found === 'done')
      return { content: 'Done: this was started before an interruption, and its effect was found in place.' }
    if (found === 'not_done') return 'run'
  }
  return askWhatHappened(session, judged)
}

async function askWhatHappened(session: Session, judged: JudgedCall): Promise<Outcome | 'run' | undefined> {
  const answer = await askPerson(session, doubtOf(session, judged))
  if (answer === undefined) return undefined
  const reason = answer.reason === undefined ? '' : ` ${answer.reason}`
  if (answer.decision === 'again') return 'run'
  if (answer.decision === 'done')
    return { content: `Done, as ${answer.by ?? 'a person'} confirmed after an interruption.${reason}` }
  const content = `It is not known whether this was carried out: it was interrupted. Find out before you repeat it.${reason}`
  return { outcome: 'in_doubt', code: 'in_doubt', content }
}

/** Each try has a question of its own: an answer about an earlier try does not apply to this one. */
function doubtOf(session: Session, judged: JudgedCall): Question {
  const { call, tool } = judged
  const { tries = 1, started } = session.state.calls.get(call.id) ?? {}
  const input = started?.['input']
  const args = input === undefined ? call.function.arguments : JSON.stringify(input)
  const what = `${tool.name} was started before an interruption and it is not known whether it was carried out`
  return {
    name: tries === 1 ? `doubt/${call.id}` : `doubt/${call.id}/${tries}`,
    kind: 'doubt',
    call: call.id,
    text: `${what}: ${args}`,
    choices: ['done', 'again', 'leave'],
    detail: {
      agent: session.spec.agent.name,
      ...actionOf(judged, args),
      tool: tool.name,
      arguments: args,
      risk: started?.['risk'] ?? null,
      reasons: started?.['reasons'] ?? [],
      reason: what,
    },
  }
}
