import type { RequestSize } from '../budget/request-size.ts'
import type { AssistantEntry, Entry, EventEntry, ResultEntry, UserEntry, WireCall } from '../ports/entry.ts'
import type { JsonObject } from '../ports/json.ts'
import type { Message } from '../ports/model.ts'
import { addUsage, type Notice, noUsage, type Report, type Usage } from '../ports/report.ts'
import { isBlank } from '../text/is-blank.ts'
import { nameKey } from '../vocabulary/name-key.ts'
import { membersOfStart } from './children-of-start.ts'
import { type RepeatedCall, repeatedCall } from './repeated-call.ts'

/**
 * The state of a session: a fold over its entries and nothing else. Live and resumed sessions use the same `applyEntry`, so a session that
 * is read from its journal has exactly the state it had before.
 */
export interface SessionState {
  seq: number
  /** The number of recorded replies. */
  round: number
  /** Replies since the last message of a person. The round limit counts these. */
  roundsSinceWork: number
  /** The messages that the model sees, and the `seq` of each. Both only grow, except when the context is compacted. */
  messages: Message[]
  messageSeqs: number[]
  characters: number
  /** The first and the latest request to the session. Compaction keeps both word for word. */
  work: { readonly first: Message; readonly last: Message } | undefined
  /** The reported input tokens of the last request, and its length in characters. Calibrates estimates. */
  measured: { tokens: number; characters: number } | undefined
  /** Under a budget: the last request, and the last one whose input tokens the server reported. */
  sentRequest: RequestSize | undefined
  measuredRequest: (RequestSize & { readonly tokens: number }) | undefined
  /** The calls of the last reply in their order, and how many of them have no result. */
  calls: Map<string, CallState>
  unsettled: number
  callIds: Set<string>
  /** The ids of messages from outside that were received, or that a hook refused. */
  heard: Set<string>
  /** Messages that arrived while calls were open. They follow the results, because no message may come between calls and results. */
  deferred: Message[]
  /** Delegations in the background whose results are not collected yet: child session by call. */
  background: Map<string, string>
  /** The teams it leads, by the key of their name. */
  teams: Map<string, TeamState>
  /** Keys of the results that it has received, from `collected`. */
  told: Set<string>
  nudges: { report: number; empty: number; sections: number; schema: number; truncated: number; stop: number }
  /** Its last text since a person's message. */
  lastText: string
  /** The report from `reportOut`. */
  reported: string | undefined
  usage: Usage
  sessions: number
  callCount: number
  notices: Notice[]
  /** The last calls that repeat each other: same tool, same arguments, same outcome. Undefined after a new message. */
  repeated: RepeatedCall | undefined
  /** How many calls a budget refused, by its reason. */
  refusedByBudget: Map<string, number>
  /** Grants of a person for the rest of the session, by the names in `Verdict.grants`. */
  grants: Set<string>
  /** Set if a hook or reviewer stopped the session. Cleared by the next message of a person. */
  stopped:
    | { readonly status: 'incomplete' | 'error'; readonly code: string; readonly reason: string }
    | undefined
  /** The report, once the session has ended and as long as nothing was recorded after it. */
  ended: Report | undefined
  /** If it was cancelled: by whom. */
  cancelledBy: string | undefined
}

/** A team that a session leads. */
export interface TeamState {
  readonly name: string
  /** The call that created it, with the arguments that the gate allowed. */
  readonly call: WireCall
  readonly input: JsonObject | undefined
  /** Session ids by member name. */
  readonly members: ReadonlyMap<string, string>
}

/** The recorded state of a call. */
export interface CallState {
  readonly call: WireCall
  /** The start of the last attempt. */
  started?: EventEntry
  /** The number of attempts: more than one if the call was in doubt and ran again. */
  tries?: number
  finished?: EventEntry
  refused?: EventEntry
  held?: EventEntry
  result?: ResultEntry
}

/** The most characters of a result that the model sees. The journal keeps the whole result. */
const shownResultLimit = 40_000

const noNudges = { report: 0, empty: 0, sections: 0, schema: 0, truncated: 0, stop: 0 }

function emptyState(): SessionState {
  return {
    seq: 0,
    round: 0,
    roundsSinceWork: 0,
    messages: [],
    messageSeqs: [],
    characters: 0,
    work: undefined,
    measured: undefined,
    sentRequest: undefined,
    measuredRequest: undefined,
    calls: new Map(),
    unsettled: 0,
    callIds: new Set(),
    heard: new Set(),
    deferred: [],
    background: new Map(),
    teams: new Map(),
    told: new Set(),
    nudges: { ...noNudges },
    lastText: '',
    reported: undefined,
    usage: noUsage,
    sessions: 1,
    callCount: 0,
    notices: [],
    repeated: undefined,
    refusedByBudget: new Map(),
    grants: new Set(),
    stopped: undefined,
    ended: undefined,
    cancelledBy: undefined,
  }
}

export function foldEntries(entries: readonly Entry[], session: string): SessionState {
  const state = emptyState()
  for (const entry of entries) applyEntry(state, entry, session)
  return state
}

export function applyEntry(state: SessionState, entry: Entry, session: string): void {
  state.seq = entry.seq
  state.ended = undefined
  switch (entry.role) {
    case 'user':
      if (entry.earlier) show(state, entry, entry.seq)
      else applyUser(state, entry)
      break
    case 'assistant':
      if (entry.earlier) show(state, entry, entry.seq)
      else applyReply(state, entry)
      break
    case 'tool_result':
      applyResult(state, entry, session)
      break
    case 'event':
      applyEvent(state, entry)
      break
  }
}

/** The unsettled calls of the last reply, in order. */
export function openCalls(state: SessionState): readonly CallState[] {
  return state.unsettled === 0 ? [] : [...state.calls.values()].filter((call) => call.result === undefined)
}

/** Open calls whose start is recorded: in a session that was interrupted, their effect may have happened. */
export function startedCalls(state: SessionState): Set<string> {
  return new Set(openCalls(state).flatMap(({ call, started }) => (started === undefined ? [] : [call.id])))
}

/** Derives the next step of a session from its record. Resuming a session needs nothing else. */
export function nextMove(state: SessionState): 'settle' | 'ask' | 'conclude' {
  if (state.unsettled > 0) return 'settle'
  if (state.reported !== undefined) return 'conclude'
  return state.messages.at(-1)?.role === 'assistant' ? 'conclude' : 'ask'
}

function show(state: SessionState, message: Message, seq: number): void {
  state.messages.push(message)
  state.messageSeqs.push(seq)
  state.characters += sizeOf(message)
}

function sizeOf(message: Message): number {
  let size = (message.content?.length ?? 0) + 20
  if (message.role === 'assistant') {
    for (const call of message.tool_calls ?? [])
      size += call.function.arguments.length + call.function.name.length
    for (const { item } of message.reasoning?.items ?? []) size += JSON.stringify(item).length
  }
  return size
}

function applyUser(state: SessionState, entry: UserEntry): void {
  if (state.unsettled > 0) state.deferred.push(entry)
  else show(state, entry, entry.seq)
  for (const call of entry.collected ?? []) {
    state.background.delete(call)
    state.told.add(call)
  }
  // The model has something new to act on.
  state.repeated = undefined
  state.usage = addUsage(state.usage, entry.usage)
  state.sessions += entry.sessions ?? 0
  state.callCount += entry.calls ?? 0
  if (entry.nudge !== undefined) state.nudges[entry.nudge] += 1
  if (entry.message !== undefined) state.heard.add(entry.message)
  state.work ??= { first: entry, last: entry }
  if (entry.from === undefined || entry.message !== undefined) {
    state.work = { ...state.work, last: entry }
    state.nudges = { ...noNudges }
    state.roundsSinceWork = 0
    // An earlier text does not answer the new message.
    state.lastText = ''
    state.stopped = undefined
  }
  // A returned report, or a new message, requires another report.
  state.reported = undefined
}

/** True if the record was rewound while the request was in flight, so the reply answers entries that no longer exist. */
export function isOutdated({ asked, seq }: AssistantEntry): boolean {
  return asked !== undefined && asked >= seq
}

function applyReply(state: SessionState, entry: AssistantEntry): void {
  state.usage = addUsage(state.usage, entry.usage)
  for (const call of entry.tool_calls ?? []) state.callIds.add(call.id)
  if (isOutdated(entry)) return
  const unseen = takeUnseen(state, entry.asked)
  if (entry.usage !== undefined) state.measured = { tokens: entry.usage.input, characters: state.characters }
  measureRequest(state, entry.usage)
  show(state, entry, entry.seq)
  state.round += 1
  state.roundsSinceWork += 1
  state.calls = new Map()
  for (const call of entry.tool_calls ?? []) {
    state.calls.set(call.id, { call })
  }
  state.unsettled = state.calls.size
  if (state.unsettled > 0) state.deferred.push(...unseen)
  else for (const message of unseen) show(state, message, entry.seq)
  if (entry.content !== null && !isBlank(entry.content)) state.lastText = entry.content
}

/** Removes and returns messages that arrived after the request was sent, so that they can follow the reply. */
function takeUnseen(state: SessionState, asked: number | undefined): Message[] {
  let from = state.messages.length
  while (
    asked !== undefined &&
    from > 0 &&
    (state.messageSeqs[from - 1] as number) > asked &&
    state.messages[from - 1]?.role === 'user'
  )
    from -= 1
  state.messageSeqs.length = from
  const unseen = state.messages.splice(from)
  for (const message of unseen) state.characters -= sizeOf(message)
  return unseen
}

/** The next request repeats this one and adds to it, so the tokens of this one bound part of the next. */
function measureRequest(state: SessionState, usage: Usage | undefined): void {
  const { sentRequest } = state
  if (sentRequest !== undefined && usage !== undefined && usage.input > 0)
    state.measuredRequest = { ...sentRequest, tokens: usage.input }
  state.sentRequest = undefined
}

function applyResult(state: SessionState, entry: ResultEntry, session: string): void {
  const known = state.calls.get(entry.tool_call_id)
  state.callIds.add(entry.tool_call_id)
  // Skip a result whose call was removed or is already settled: models reject such a result.
  if (known !== undefined && known.result === undefined) {
    known.result = entry
    state.unsettled -= 1
    state.repeated = repeatedCall(state.repeated, known.call, entry, state.round)
    show(state, capped(entry, session), entry.seq)
    if (entry.outcome === undefined) applyTeam(state, known)
    if (entry.outcome === 'refused' && entry.code === 'budget')
      state.refusedByBudget.set(entry.content, (state.refusedByBudget.get(entry.content) ?? 0) + 1)
    if (state.unsettled === 0) for (const message of state.deferred.splice(0)) show(state, message, entry.seq)
  }
  state.usage = addUsage(state.usage, entry.usage)
  state.sessions += entry.sessions ?? 0
  state.callCount += (entry.calls ?? 0) + (entry.outcome === 'refused' ? 0 : 1)
}

/** Applies a completed call that created or deleted a team. */
function applyTeam({ teams }: SessionState, { call, started }: CallState): void {
  const name = started?.['team']
  if (typeof name !== 'string') return
  const members = membersOfStart(started?.['members'])
  if (members.size === 0) teams.delete(nameKey(name))
  else teams.set(nameKey(name), { name, call, input: started?.['input'] as JsonObject | undefined, members })
}

function applyEvent(state: SessionState, entry: EventEntry): void {
  const known = entry.call === undefined ? undefined : state.calls.get(entry.call)
  switch (entry.type) {
    case 'call.started':
      if (known !== undefined) {
        known.started = entry
        known.tries = (known.tries ?? 0) + 1
      }
      if (entry['background'] === true && entry.call !== undefined && entry.child !== undefined)
        state.background.set(entry.call, entry.child)
      return
    case 'call.finished':
      if (known !== undefined) known.finished = entry
      return
    case 'call.refused':
      if (known !== undefined) known.refused = entry
      return
    case 'call.held':
      if (known !== undefined) known.held = entry
      return
    case 'person.answered':
      applyAnswer(state, entry)
      return
    case 'session.stopped':
      state.stopped = {
        status: entry['status'] === 'error' ? 'error' : 'incomplete',
        code: String(entry['code'] ?? 'stopped'),
        reason: entry.content ?? '',
      }
      // A refused message is not delivered again.
      if (typeof entry['message'] === 'string') state.heard.add(entry['message'])
      return
    case 'report.given':
      state.reported = entry.content ?? ''
      return
    case 'notice.added':
      state.notices.push(noticeOf(entry))
      return
    case 'request.sent':
      state.sentRequest = { bytes: Number(entry['bytes']), shape: String(entry['shape']) }
      return
    case 'journal.edited':
      // The edit may have changed the measured request.
      state.measuredRequest = undefined
      state.sentRequest = undefined
      return
    case 'context.compacted':
      applyCompaction(state, entry)
      return
    case 'session.ended':
      state.ended = entry['report'] as unknown as Report
      state.cancelledBy = entry['cancelled_by'] as string | undefined
      return
  }
}

export function noticeOf(entry: EventEntry): Notice {
  return { code: String(entry['code'] ?? 'notice'), message: entry.content ?? '' }
}

function applyAnswer(state: SessionState, entry: EventEntry): void {
  if (entry['decision'] !== approveSession) return
  const call = String(entry['name'] ?? '').replace(/^approval\//, '')
  for (const grant of grantsOf(state.calls.get(call)?.held)) state.grants.add(grant)
}

/** The answer that approves a call and grants similar calls for the rest of the session. */
export const approveSession = 'approve-session'

/** The grants that a person may give together with a held call. A firm call offers none, because each one needs its own approval. */
export function grantsOf(held: EventEntry | undefined): readonly string[] {
  if (held?.['firm'] === true) return []
  const grants = held?.['grants']
  return Array.isArray(grants) ? grants.filter((grant) => typeof grant === 'string') : []
}

function applyCompaction(state: SessionState, entry: EventEntry): void {
  state.usage = addUsage(state.usage, entry['usage'] as Usage | undefined)
  const upTo = Number(entry['up_to'])
  const kept = state.messageSeqs.findIndex((seq) => seq > upTo)
  const from = kept < 0 ? state.messages.length : kept
  const rest = state.messages.slice(from)
  const restSeqs = state.messageSeqs.slice(from)
  state.messages = []
  state.messageSeqs = []
  state.characters = 0
  state.measured = undefined
  state.measuredRequest = undefined
  state.sentRequest = undefined
  const { first, last } = state.work ?? {}
  for (const work of new Set([first, last]))
    if (work !== undefined && !rest.includes(work)) show(state, work, 0)
  show(state, { role: 'user', content: entry.content ?? '' }, upTo)
  rest.forEach((message, index) => {
    show(state, message, restSeqs[index] as number)
  })
}

/** Providers reject requests over their limit, and one long result would push everything else out of the window. */
function capped(entry: ResultEntry, session: string): Message {
  const { content } = entry
  if (content.length <= shownResultLimit) return entry
  const head = content.slice(0, shownResultLimit * 0.75)
  const tail = content.slice(-shownResultLimit * 0.25)
  const left = content.length - head.length - tail.length
  const where = `the full result is in sessions/${session}.session.yaml, at tool_call_id ${entry.tool_call_id}`
  return { ...entry, content: `${head}\n\n[${left} characters omitted; ${where}]\n\n${tail}` }
}
