import type { OutcomeKind } from './entry.ts'
import type { CadreEvent } from './events.ts'
import { addUsage, type Notice, noUsage, type Report, type Usage } from './report.ts'

/** A call as a surface shows it. */
export interface CallView {
  readonly id: string
  readonly name: string
  readonly input: string
  status: 'pending' | 'running' | 'waiting' | OutcomeKind
  child?: string
  content?: string
  code?: string
}

export interface RoundView {
  readonly roundId: number
  reply: string
  readonly toolCalls: CallView[]
}

export interface SessionView {
  readonly id: string
  readonly agent: string
  readonly work: string
  readonly depth: number
  readonly parent?: { readonly session: string; readonly call: string }
  model: string
  state: 'queued' | 'working' | 'waiting' | 'ended'
  readonly rounds: RoundView[]
  /** Of this session alone; what its subtree cost is in its report. */
  usage: Usage
  calls: number
  readonly children: string[]
  readonly notices: Notice[]
  /** Open questions to a person, by name. */
  readonly questions: Map<
    string,
    { readonly text: string; readonly call: string; readonly choices: readonly string[] }
  >
  readonly startedAt: string
  updatedAt: string
  report?: Report
}

/** Everything a surface shows of the sessions it follows. State is this fold over events, the same on every surface. */
export interface View {
  readonly sessions: Map<string, SessionView>
  readonly roots: string[]
}

export function emptyView(): View {
  return { sessions: new Map(), roots: [] }
}

/** Takes one event into the view. Events of sessions whose start was not seen are ignored: a surface may join late. */
export function applyToView(view: View, event: CadreEvent): void {
  if (event.type === 'session.started') {
    start(view, event)
    return
  }
  const session = view.sessions.get(event.session)
  if (session === undefined) return
  session.updatedAt = event.at
  switch (event.type) {
    case 'session.queued':
      session.state = 'queued'
      break
    case 'session.unqueued':
      session.state = 'working'
      break
    case 'round.started':
      session.rounds.push({ roundId: event.round, reply: '', toolCalls: [] })
      break
    case 'text.added':
      roundOf(session, event.round).reply += event.text
      break
    case 'reply.received':
      reply(session, event)
      break
    case 'call.started':
      update(session, event.call, (call) => {
        call.status = 'running'
        if (event.child !== undefined) call.child = event.child
      })
      break
    case 'call.settled':
      session.calls += 1
      update(session, event.call, (call) => {
        call.status = event.outcome
        call.content = event.content
        if (event.code !== undefined) call.code = event.code
      })
      break
    case 'person.asked':
      session.state = 'waiting'
      session.questions.set(event.question, { text: event.text, call: event.call, choices: event.choices })
      update(session, event.call, (call) => {
        call.status = 'waiting'
      })
      break
    case 'person.answered':
      session.questions.delete(event.question)
      if (session.questions.size === 0) session.state = 'working'
      break
    case 'notice.added':
      session.notices.push(event.notice)
      break
    case 'session.suspended':
      session.state = 'waiting'
      break
    case 'session.ended':
      end(session, event.report)
      break
    case 'reply.delayed':
    case 'message.added':
    case 'context.compacted':
    case 'journal.edited':
      break
  }
}

function start(view: View, event: Extract<CadreEvent, { type: 'session.started' }>): void {
  const { agent, work, depth, parent, model, at } = event
  const known = view.sessions.get(event.session)
  if (known !== undefined) {
    known.state = 'working'
    known.updatedAt = at
    delete known.report
    return
  }
  view.sessions.set(event.session, {
    id: event.session,
    agent,
    work,
    depth,
    ...(parent && { parent }),
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
  })
  const above = parent && view.sessions.get(parent.session)
  if (above === undefined) view.roots.push(event.session)
  else above.children.push(event.session)
}

function reply(session: SessionView, event: Extract<CadreEvent, { type: 'reply.received' }>): void {
  const round = roundOf(session, event.round)
  // The complete text, not the sum of deltas: those may have been merged or dropped on the way.
  round.reply = event.text
  for (const { id, name, input } of event.calls) round.toolCalls.push({ id, name, input, status: 'pending' })
  session.usage = addUsage(session.usage, event.usage)
  if (event.model !== undefined) session.model = event.model
}

function roundOf(session: SessionView, roundId: number): RoundView {
  const last = session.rounds.at(-1)
  if (last !== undefined && last.roundId === roundId) return last
  const round: RoundView = { roundId, reply: '', toolCalls: [] }
  session.rounds.push(round)
  return round
}

function update(session: SessionView, id: string, change: (call: CallView) => void): void {
  for (let i = session.rounds.length - 1; i >= 0; i--) {
    const call = session.rounds[i]?.toolCalls.find((candidate) => candidate.id === id)
    if (call !== undefined) {
      change(call)
      return
    }
  }
}

function end(session: SessionView, report: Report): void {
  session.state = 'ended'
  session.report = report
  session.questions.clear()
  for (const round of session.rounds) {
    for (const call of round.toolCalls) {
      if (call.status === 'pending' || call.status === 'running' || call.status === 'waiting')
        call.status = 'cancelled'
    }
  }
}

/** A round with the rounds of the children it started, to any depth. */
export interface AgentRound {
  readonly roundId: number
  readonly session: string
  readonly agent: string
  readonly reply: string
  readonly toolCalls: readonly CallView[]
  readonly subAgentRounds: readonly AgentRound[]
}

/** The tree of rounds of a session. Rounds are told apart by session and number, so parallel children cannot collide. */
export function agentRounds(view: View, id: string): AgentRound[] {
  const session = view.sessions.get(id)
  if (session === undefined) return []
  return session.rounds.map((round) => ({
    roundId: round.roundId,
    session: id,
    agent: session.agent,
    reply: round.reply,
    toolCalls: round.toolCalls,
    subAgentRounds: round.toolCalls.flatMap((call) =>
      call.child === undefined ? [] : agentRounds(view, call.child),
    ),
  }))
}
