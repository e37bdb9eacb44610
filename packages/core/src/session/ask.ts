import { askModel, type RequestFailure } from '../budget/model-gateway.ts'
import type { AssistantDraft, Draft, WireCall } from '../ports/entry.ts'
import type { Reply } from '../ports/model.ts'
import { replyEvent } from '../view/entry-events.ts'
import type { Ending } from './build-report.ts'
import { prepareContext } from './context.ts'
import { announceDecisions, draftDecisions, hasCallWithEffect } from './decide.ts'
import { recordFirstEntries } from './record-first-entries.ts'
import { notice, record, type Session, say } from './session.ts'
import type { SessionState } from './session-state.ts'
import { isOutdated } from './state.ts'

/** Sends one request to the model and records the reply. Returns an ending if the session cannot continue. */
export async function ask(session: Session): Promise<Ending | undefined> {
  const { spec, state, node } = session
  if (state.roundsSinceWork >= spec.limits.maxRounds) {
    return incomplete(
      session,
      'max_rounds',
      `stopped after ${count(spec.limits.maxRounds, 'round')}, the limit for this session`,
    )
  }
  const repeated = repeatedEnding(session)
  if (repeated !== undefined) return repeated
  // A person may have emptied the record. Start again with the work.
  if (state.messages.length === 0) {
    await recordFirstEntries(session)
    if (session.state.stopped !== undefined) return undefined
  }
  const preparing = prepareContext(session)
  if (preparing !== undefined) await preparing
  let failure = await askOnce(session)
  if (failure?.tooLong && !node.signal.aborted) {
    await prepareContext(session, true)
    failure = await askOnce(session)
  }
  if (failure === undefined || node.signal.aborted || node.isBrokenOff) return undefined
  if (failure.interrupted !== undefined) {
    await noteInterruption(session, failure.interrupted)
    return undefined
  }
  if (failure.code === 'budget_exceeded') return incomplete(session, failure.code, failure.message)
  return {
    status: 'error',
    text: session.state.lastText,
    notices: [{ code: failure.code, message: failure.message }],
  }
}

/**
 * A model that repeats one call gets the same outcome again, so more rounds change nothing. While its children or teammates are
 * running, it may be waiting for them: ending it would cancel their work.
 */
function repeatedEnding(session: Session): Ending | undefined {
  const { state, tree, teammates } = session
  const { identicalCalls } = tree.limits
  const { repeated } = state
  if (repeated === undefined || identicalCalls === 0 || repeated.times < identicalCalls) return undefined
  if (state.background.size > 0 || teammates?.isBusy) return undefined
  const calls = count(repeated.times, `identical call`)
  return incomplete(
    session,
    'identical_calls',
    `stopped after ${calls} of ${repeated.call.name} in a row with the same outcome, the limit for this run (limits.identicalCalls)`,
  )
}

/** The reason why there is no reply. `interrupted`: a person interrupted the reply after reading this part of it. */
type Unanswered = RequestFailure & { readonly interrupted?: string }

async function askOnce(session: Session): Promise<Unanswered | undefined> {
  const { spec, state, node } = session
  const round = state.round + 1
  const asked = state.seq
  session.emit({ type: 'round.started', round })
  let failure: Unanswered | undefined
  let heard = ''
  let calls: readonly WireCall[] = []
  const work = async (): Promise<readonly Draft[]> => {
    node.takeInterruption()
    const reply = await replyOf(session, round, (text) => {
      heard += text
    })
    if (reply.kind === 'failed') {
      failure = node.takeInterruption() ? { ...reply, interrupted: heard } : reply
      return []
    }
    const draft = draftOf(reply, session.state, asked)
    calls = draft.tool_calls ?? []
    // If all rules are synchronous, judge the calls now, so that the reply and the decisions are recorded together.
    return session.gate.immediate && !node.signal.aborted
      ? [draft, ...(await draftDecisions(session, calls, calls))]
      : [draft]
  }
  const entries = await record(session, `reply/${round}`, work, {
    durable: () => session.gate.immediate && hasCallWithEffect(session, calls),
  })
  for (const entry of entries) {
    if (entry.role !== 'assistant' || isOutdated(entry)) continue
    session.emit(replyEvent(entry, session.state.round, spec, session.state.spending.charged))
  }
  announceDecisions(session, entries)
  return failure
}

/** How many characters of an interrupted reply the model sees: the end, which the person read last. */
const maxInterruptedLength = 4_000

/**
 * Tells the model which part of the reply the person read. It is recorded as a message, not as a reply, so that the session asks again,
 * even after a crash. The request is charged like any other without a reply.
 */
async function noteInterruption(session: Session, heard: string): Promise<void> {
  session.model.release?.(session.spec.id)
  const text = heard.trim().slice(-maxInterruptedLength)
  if (text === '') return
  const content = `The user interrupted your reply. They had read this part of it:\n\n${text}`
  await say(session, `interrupted/${session.state.seq}`, { content })
}

function replyOf(
  session: Session,
  round: number,
  recordMessage: (text: string) => void,
): Promise<Reply | RequestFailure> {
  const { state, systemPrompt: system, toolset, spec } = session
  const { outputSchema } = spec
  return askModel(
    session,
    { round, system, messages: state.messages, tools: toolset.offers, ...(outputSchema && { outputSchema }) },
    {
      text: (text) => {
        recordMessage(text)
        session.emit({ type: 'text.added', round, text })
      },
      delayed: (reason, ms) =>
        session.emit({ type: 'reply.delayed', round, reason, ...(ms !== undefined && { ms }) }),
      notice: (code, message) => void notice(session, code, message).catch(() => {}),
    },
  )
}

function draftOf(reply: Reply, state: SessionState, asked: number): AssistantDraft {
  const ids = uniqueIds(reply.calls, state)
  const calls = reply.calls.map((call, index) =>
    call.id === ids[index] ? call : { ...call, id: ids[index] as string },
  )
  return {
    role: 'assistant',
    content: reply.content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reply.reasoning !== undefined && { reasoning: reply.reasoning }),
    ...(reply.model !== undefined && { model: reply.model }),
    ...(reply.usage !== undefined && { usage: reply.usage }),
    ...(reply.stop !== undefined && { stop: reply.stop }),
    asked,
  }
}

/** Some models restart call ids in each reply, or omit them. Keys and results need ids that are unique in the session. */
function uniqueIds(calls: readonly WireCall[], state: SessionState): string[] {
  const seen = new Set<string>()
  return calls.map((call, index) => {
    const wanted = call.id === '' ? `call_${state.round + 1}_${index}` : call.id
    let id = wanted
    for (let n = 2; state.callIds.has(id) || seen.has(id); n++) id = `${wanted}-${n}`
    seen.add(id)
    return id
  })
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

function incomplete(session: Session, code: string, message: string): Ending {
  return { status: 'incomplete', text: session.state.lastText, notices: [{ code, message }] }
}
