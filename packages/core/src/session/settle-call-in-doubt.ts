import type { Question } from '../ports/engine.ts'
import type { JudgedCall } from '../ports/gate.ts'
import { actionOf } from './approval-question.ts'
import { awaitAnswer } from './await-answer.ts'
import { type Outcome, toolContext } from './perform.ts'
import type { Session } from './session.ts'
import { untilStopped } from './until-stopped.ts'

/**
 * Settles a call that an earlier process started without recording a result: its effect may have happened. A call that only reads runs
 * again, and a write is checked. If a call can be neither repeated nor checked, a person decides. No effect is ever silently repeated.
 * Returns `run` when the call should run, and `undefined` when the session is being stopped.
 */
export async function settleCallInDoubt(
  session: Session,
  judged: JudgedCall,
): Promise<Outcome | 'run' | undefined> {
  const { tool, input, call } = judged
  if (tool.effect === 'read') return 'run'
  const earlier = await untilStopped(session.run.alone, session.node, 'here')
  if (session.node.isStopped) return undefined
  // Before anything else: a second copy must not run beside the first one.
  const leftover = await endLeftover(session, judged)
  if (session.node.isStopped) return undefined
  const verdict = await session.gate.judgeAgain(judged, session.spec, session.node.signal)
  if (verdict.kind === 'allow' && verdict.readsOnly === true) return 'run'
  if (tool.check !== undefined) {
    const found = await tool
      .check(input, toolContext(session, call.id), session.node.signal)
      .catch(() => 'unknown' as const)
    if (found === 'done')
      return { content: 'Done: the call was interrupted, but a check confirmed that it took effect.' }
    if (found === 'not_done') return 'run'
  }
  const isOutOfSight = earlier === 'elsewhere' && leftover === 'none' && tool.endLeftover !== undefined
  return askWhatHappened(session, judged, isOutOfSight ? 'elsewhere' : leftover)
}

type Leftover = 'ended' | 'none' | 'unknown'

/** Ends what an interrupted call left running. */
export async function endLeftover(session: Session, { tool, call }: JudgedCall): Promise<Leftover> {
  if (tool.endLeftover === undefined) return 'none'
  return tool.endLeftover(toolContext(session, call.id)).catch(() => 'unknown' as const)
}

const leftoverTexts: { readonly [leftover in Leftover | 'elsewhere']: string } = {
  none: '',
  ended: ' (it was still running, and Cadre has ended it)',
  unknown: ' (it may still be running)',
  elsewhere: ' (it may still be running on another machine)',
}

async function askWhatHappened(
  session: Session,
  judged: JudgedCall,
  leftover: Leftover | 'elsewhere',
): Promise<Outcome | 'run' | undefined> {
  const answer = await awaitAnswer(session, doubtOf(session, judged, leftover))
  if (answer === undefined) return undefined
  const reason = answer.reason === undefined ? '' : ` ${answer.reason}`
  if (answer.decision === 'again') return 'run'
  if (answer.decision === 'done')
    return {
      content: `Done: the call was interrupted, but ${answer.by ?? 'a person'} confirmed that it took effect.${reason}`,
    }
  const content = `This call was interrupted and may have been carried out. Check before you repeat it.${reason}`
  return { outcome: 'in_doubt', code: 'in_doubt', content }
}

/** Each attempt has its own question, so an answer about an earlier attempt does not apply to this one. */
function doubtOf(session: Session, judged: JudgedCall, leftover: Leftover | 'elsewhere'): Question {
  const { call, tool } = judged
  const { tries = 1, started, held } = session.state.calls.get(call.id) ?? {}
  // To run a call again takes as many people as to run it.
  const approvals = held?.['approvals']
  const input = started?.['input']
  const args = input === undefined ? call.function.arguments : JSON.stringify(input)
  const what = `${tool.name} was interrupted and may have been carried out${leftoverTexts[leftover]}`
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
      ...(approvals !== undefined && { approvals }),
    },
  }
}
