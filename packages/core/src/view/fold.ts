import type { CadreEvent } from '../ports/events.ts'
import { noUsage } from '../ports/report.ts'
import { decisionOf } from './decision-of.ts'
import { isBefore } from './is-before.ts'
import { SessionRounds } from './session-rounds.ts'
import type { CallVerdict, CallView, PersonDecision, SessionView, View } from './view.ts'

/** State of a session that is not part of its view. */
interface Tracked {
  readonly rounds: SessionRounds
  readonly notices: Set<string>
  /** Answered questions. */
  readonly answered: Set<string>
  /** When it last started or ended. Older events of these types are repetitions. */
  turnedAt: string
}

const tracked = new WeakMap<SessionView, Tracked>()
/** Sessions whose events arrived before those of their parents, by the parent's id. */
const waiting = new WeakMap<View, Map<string, string[]>>()

export function emptyView(): View {
  return { sessions: new Map(), roots: [] }
}

/** A call of a session, by its id. */
export function callOf(view: View, session: string, call: string): CallView | undefined {
  const known = view.sessions.get(session)
  return known === undefined ? undefined : trackOf(known).rounds.call(call)
}

/**
 * Applies one event to the view. Events of one session must arrive in order. Events of different sessions can be interleaved in any way,
 * and repeated events have no effect. Events of sessions whose start was not seen are ignored: a surface that joins late reads the earlier
 * events from the journals.
 */
export function applyToView(view: View, event: CadreEvent): void {
  if (event.type === 'session.started') {
    start(view, event)
    const started = view.sessions.get(event.session)
    if (started !== undefined) trackOf(started).rounds.know(event.open ?? [])
    return
  }
  const session = view.sessions.get(event.session)
  if (session === undefined) return
  if (!isBefore(event.at, session.updatedAt)) session.updatedAt = event.at
  if (session.delayed !== undefined) delete session.delayed
  const { rounds, notices, answered } = trackOf(session)
  switch (event.type) {
    case 'session.queued':
      changeState(session, 'queued')
      break
    case 'session.unqueued':
      changeState(session, 'working')
      break
    case 'round.started':
      rounds.begin(event.round, event.at)
      break
    case 'text.added':
      rounds.addText(event.round, event.text, event.seq)
      break
    case 'reply.received':
      rounds.receive(event)
      session.usage = rounds.usage
      if (event.model !== undefined) session.model = event.model
      break
    case 'call.started':
      rounds.start(event.call, event)
      session.calls = rounds.settled
      break
    case 'call.progressed':
      rounds.progress(event.call, event.text)
      break
    case 'call.settled':
      rounds.settle(event.call, event)
      session.calls = rounds.settled
      break
    case 'person.asked':
      if (answered.has(event.question) || !rounds.ask(event.call)) break
      changeState(session, 'waiting')
      session.questions.set(event.question, { text: event.text, call: event.call, choices: event.choices })
      break
    case 'person.answered': {
      const question = session.questions.get(event.question)
      session.questions.delete(event.question)
      answered.add(event.question)
      if (question !== undefined) rounds.answered(question.call, personDecision(event))
      if (session.questions.size === 0) changeState(session, 'working')
      break
    }
    case 'notice.added': {
      const { code, message } = event.notice
      if (notices.has(`${code} ${message}`)) break
      notices.add(`${code} ${message}`)
      session.notices.push(event.notice)
      break
    }
    case 'journal.edited':
      if (event.rounds === undefined) break
      // The removed entries may have contained answers.
      answered.clear()
      rounds.cut(event.rounds, event.at)
      session.usage = rounds.usage
      session.calls = rounds.settled
      break
    case 'session.suspended':
      changeState(session, 'waiting')
      break
    case 'session.ended':
      end(session, event)
      break
    case 'message.added':
      if (isSentBack(event) && event.round !== undefined) rounds.sendBack(event.round, event.text)
      break
    case 'call.judged':
      rounds.judge(event.call, event.tool, callVerdict(event, rounds.call(event.call)?.input))
      break
    case 'reply.delayed':
      session.delayed = event.reason
      break
    case 'context.compacted':
      break
  }
}

function callVerdict(
  event: Extract<CadreEvent, { type: 'call.judged' }>,
  asked: string | undefined,
): CallVerdict {
  const { input } = event
  return {
    ...decisionOf(event),
    ...(asked !== undefined && asked !== '' && input !== asked && { input }),
  }
}

function personDecision(event: Extract<CadreEvent, { type: 'person.answered' }>): PersonDecision {
  const { decision, by, reason, at, answeredAt = at } = event
  return {
    decision,
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason }),
    at: answeredAt,
  }
}

/** Sections are missing, or a hook wants the session to continue. */
function isSentBack({ nudge }: Extract<CadreEvent, { type: 'message.added' }>): boolean {
  return nudge === 'sections' || nudge === 'schema' || nudge === 'stop'
}

function start(view: View, event: Extract<CadreEvent, { type: 'session.started' }>): void {
  const { session: id, agent, work, depth, parent, team, model, at } = event
  const known = view.sessions.get(id)
  if (known !== undefined) {
    continueSession(known, event)
    return
  }
  const session: SessionView = {
    id,
    agent,
    work,
    depth,
    ...(parent && { parent }),
    ...(team && { team }),
    model,
    state: 'working',
    rounds: [],
    usage: noUsage,
    calls: 0,
    children: [],
    notices: [],
    questions: new Map(),
    startedAt: at,
    updatedAt: at,
  }
  view.sessions.set(id, session)
  tracked.set(session, {
    rounds: new SessionRounds(session.rounds),
    notices: new Set(),
    answered: new Set(),
    turnedAt: at,
  })
  place(view, session)
  adopt(view, session)
}

/** Handles a second start of a session: a resume, or a repeated event. */
function continueSession(
  session: SessionView,
  { at, resumed }: Extract<CadreEvent, { type: 'session.started' }>,
): void {
  const track = trackOf(session)
  if (resumed !== true || isBefore(at, track.turnedAt)) return
  track.turnedAt = at
  session.state = 'working'
  if (!isBefore(at, session.updatedAt)) session.updatedAt = at
  delete session.report
  track.rounds.resume()
}

function place(view: View, { id, parent }: SessionView): void {
  const above = parent && view.sessions.get(parent.session)
  if (above !== undefined && above.id !== id) {
    above.children.push(id)
    return
  }
  view.roots.push(id)
  if (parent === undefined) return
  const orphans = waiting.get(view) ?? new Map<string, string[]>()
  waiting.set(view, orphans)
  const siblings = orphans.get(parent.session)
  if (siblings === undefined) orphans.set(parent.session, [id])
  else siblings.push(id)
}

function adopt(view: View, session: SessionView): void {
  const orphans = waiting.get(view)?.get(session.id)
  if (orphans === undefined) return
  waiting.get(view)?.delete(session.id)
  const own = new Set(orphans)
  own.delete(session.id)
  for (const child of own) session.children.push(child)
  replace(
    view.roots,
    view.roots.filter((root) => !own.has(root)),
  )
}

function end(session: SessionView, { report, at }: Extract<CadreEvent, { type: 'session.ended' }>): void {
  const track = trackOf(session)
  if (isBefore(at, track.turnedAt)) return
  track.turnedAt = at
  session.state = 'ended'
  session.report = report
  session.questions.clear()
  track.rounds.end()
}

/** Only a start reopens an ended session. */
function changeState(session: SessionView, state: SessionView['state']): void {
  if (session.state !== 'ended') session.state = state
}

function replace<T>(list: T[], by: readonly T[]): void {
  list.length = 0
  for (const item of by) list.push(item)
}

function trackOf(session: SessionView): Tracked {
  const track = tracked.get(session)
  if (track === undefined)
    throw new Error('unreachable: the session was added to the view without a start event')
  return track
}
