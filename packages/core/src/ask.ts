import { beginWork } from './begin-work.ts'
import type { Ending } from './build-report.ts'
import { estimateTokens, prepareContext } from './context.ts'
import { announceDecisions, decisions, haveEffects } from './decide.ts'
import type { AssistantDraft, Draft, WireCall } from './entry.ts'
import { replyEvent } from './entry-events.ts'
import { messageOf } from './errors.ts'
import type { Model, Reply, ReplyFailure } from './model.ts'
import type { Usage } from './report.ts'
import { record, type Session } from './session.ts'
import { settleReply } from './settle.ts'
import { isOutdated, type SessionState } from './state.ts'
import { untilStopped } from './until-stopped.ts'

/** One question to the model. Gives back an ending when the session cannot go on. */
export async function ask(session: Session): Promise<Ending | undefined> {
  const { spec, state, node } = session
  if (state.roundsSinceWork >= spec.limits.maxRounds) {
    return incomplete(
      session,
      'max_rounds',
      `stopped after ${count(spec.limits.maxRounds, 'round')}, the most this session may take`,
    )
  }
  // A person may have emptied the record: the work is what a session begins with.
  if (state.messages.length === 0) {
    await beginWork(session)
    if (session.state.stopped !== undefined) return undefined
  }
  await prepareContext(session)
  let failure = await askOnce(session)
  if (failure?.tooLong && !node.signal.aborted) {
    await prepareContext(session, true)
    failure = await askOnce(session)
  }
  if (failure === undefined || node.signal.aborted || node.isBrokenOff) return undefined
  if (failure.code === 'budget_exceeded') return incomplete(session, failure.code, failure.message)
  return {
    status: 'error',
    text: session.state.lastText,
    notices: [{ code: failure.code, message: failure.message }],
  }
}

/** Below this many tokens left, the reply is told how long it may be; servers refuse limits beyond what their model can write. */
const tightBudget = 16_384

type AskFailure = {
  readonly code: ReplyFailure['code'] | 'budget_exceeded'
  readonly message: string
  readonly tooLong?: boolean
}

async function askOnce(session: Session): Promise<AskFailure | undefined> {
  const { spec, state, node, model } = session
  const tokens = estimateTokens(state, session.systemPrompt)
  const reserved = { tokens, cost: model.price && (tokens * model.price.input) / 1e6 }
  if (reserved.cost === undefined && node.purse.limitsCost()) {
    return {
      code: 'budget_exceeded',
      message: `there is a budget in money, and the price of ${model.id} is not known; set it under "models" in the configuration`,
    }
  }
  const refusal = node.purse.reserve(tokens, reserved.cost)
  if (refusal !== undefined) return { code: 'budget_exceeded', message: refusal }
  const left = node.purse.tokensLeft()
  const round = state.round + 1
  const asked = state.seq
  session.emit({ type: 'round.started', round })
  let failure: ReplyFailure | undefined
  let calls: readonly WireCall[] = []
  let replayed = true
  const work = async (): Promise<readonly Draft[]> => {
    replayed = false
    const reply = await replyOf(session, round, left < tightBudget ? Math.max(1, left) : undefined)
    if (reply.kind === 'failed') {
      failure = reply
      return []
    }
    const draft = draftOf(reply, session.state, model, asked)
    calls = draft.tool_calls ?? []
    // Rules that answer at once are asked now, so that the reply and what was decided about it are one record.
    return session.gate.immediate && !node.signal.aborted
      ? [draft, ...(await decisions(session, calls, calls))]
      : [draft]
  }
  const entries = await record(session, `reply/${round}`, work, {
    durable: () => session.gate.immediate && haveEffects(session, calls),
  }).finally(() => node.purse.settle(reserved, undefined))
  for (const entry of entries) {
    if (entry.role !== 'assistant') continue
    if (entry.usage !== undefined) node.purse.spend(entry.usage)
    if (isOutdated(entry)) continue
    session.emit(replyEvent(entry, session.state.round, spec))
  }
  announceDecisions(session, entries, replayed)
  return failure
}

async function replyOf(
  session: Session,
  round: number,
  maxOutput: number | undefined,
): Promise<Reply | ReplyFailure> {
  const { spec, state, node, model } = session
  const asked = model.reply(
    {
      agent: spec.agent.name,
      session: spec.id,
      round,
      system: session.systemPrompt,
      messages: state.messages,
      tools: session.toolset.offers,
      ...(maxOutput !== undefined && { maxOutput }),
    },
    {
      // A backend with its own loop may have settled calls meanwhile: each was a round.
      text: (text) => session.emit({ type: 'text.added', round: session.state.round + 1, text }),
      delayed: (reason, ms) => session.emit({ type: 'reply.delayed', round, reason, ms }),
      settle: (call) => settleInline(session, call),
    },
    node.signal,
  )
  // A backend promises to end when it is aborted and never to throw. Cancelling must not depend on every one keeping that.
  const cancelled: ReplyFailure = { kind: 'failed', code: 'cancelled', message: 'cancelled' }
  return untilStopped(asked, node.question, cancelled).catch((error) => ({
    kind: 'failed' as const,
    code: 'backend' as const,
    message: `${model.id} failed: ${messageOf(error)}`,
  }))
}

/** For backends that run their own loop: the call is recorded, judged and run like any other, in the middle of the reply. */
async function settleInline(session: Session, call: WireCall) {
  const [id] = uniqueIds([call], session.state)
  const own = { ...call, id: id as string }
  await record(session, `inline/${session.state.round}/${own.id}`, () => [
    { role: 'assistant', content: null, tool_calls: [own] },
  ])
  session.emit({
    type: 'reply.received',
    round: session.state.round,
    text: '',
    calls: [{ id: own.id, name: call.function.name, input: call.function.arguments }],
  })
  await settleReply(session)
  const result = session.state.calls.get(own.id)?.result
  return { content: result?.content ?? 'cancelled', ...(result?.images && { images: result.images }) }
}

function draftOf(reply: Reply, state: SessionState, model: Model, asked: number): AssistantDraft {
  const ids = uniqueIds(reply.calls, state)
  const calls = reply.calls.map((call, index) =>
    call.id === ids[index] ? call : { ...call, id: ids[index] as string },
  )
  const usage = priced(reply.usage, model)
  return {
    role: 'assistant',
    content: reply.content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reply.model !== undefined && { model: reply.model }),
    ...(usage !== undefined && { usage }),
    ...(reply.stop !== undefined && { stop: reply.stop }),
    asked,
  }
}

/** Some models number their calls anew in each reply, or not at all; keys and results need ids that are unique in the session. */
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

function priced(usage: Usage | undefined, model: Model): Usage | undefined {
  if (usage === undefined || usage.cost !== undefined || model.price === undefined) return usage
  return { ...usage, cost: (usage.input * model.price.input + usage.output * model.price.output) / 1e6 }
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

function incomplete(session: Session, code: string, message: string): Ending {
  return { status: 'incomplete', text: session.state.lastText, notices: [{ code, message }] }
}
