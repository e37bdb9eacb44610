import type { AssistantEntry, Entry, EventEntry, ResultEntry, UserEntry } from '../ports/entry.ts'
import type { JsonObject } from '../ports/json.ts'
import { addUsage, type Notice, type Report, type Usage } from '../ports/report.ts'
import { isBlank } from '../text/is-blank.ts'
import { nameKey } from '../vocabulary/name-key.ts'
import { repeatedCall } from './repeated-call.ts'
import { type CallState, emptyState, type SessionState, zeroNudgeCounts } from './session-state.ts'
import { showMessage, showSummary, takeUnseenMessages, truncateResult } from './shown-messages.ts'
import { startedMembers } from './started-sessions.ts'

export function foldEntries(entries: readonly Entry[], session: string): SessionState {
  const state = emptyState()
  for (const entry of entries) applyEntry(state, entry, session)
  return state
}

export function applyEntry(state: SessionState, entry: Entry, session: string): void {
  state.seq = entry.seq
  state.ended = undefined
  state.spending.apply(entry)
  switch (entry.role) {
    case 'user':
      if (entry.earlier) showMessage(state, entry, entry.seq)
      else applyUser(state, entry)
      break
    case 'assistant':
      if (entry.earlier) showMessage(state, entry, entry.seq)
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

function applyUser(state: SessionState, entry: UserEntry): void {
  if (state.unsettled > 0) state.deferred.push(entry)
  else showMessage(state, entry, entry.seq)
  for (const call of entry.collected ?? []) {
    state.background.delete(call)
    state.givenNotices.add(call)
  }
  // The model has something new to act on.
  state.repeated = undefined
  state.usage = addUsage(state.usage, entry.usage)
  state.sessions += entry.sessions ?? 0
  state.callCount += entry.calls ?? 0
  if (entry.nudge !== undefined) state.nudges[entry.nudge] += 1
  if (entry.message !== undefined) state.receivedMessages.add(entry.message)
  state.work ??= { first: entry, last: entry }
  if (entry.from === undefined || entry.message !== undefined) {
    state.work = { ...state.work, last: entry }
    state.nudges = { ...zeroNudgeCounts }
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
  const unseen = takeUnseenMessages(state, entry.asked)
  if (entry.usage !== undefined) state.measured = { tokens: entry.usage.input, characters: state.characters }
  measureRequest(state, entry.usage)
  showMessage(state, entry, entry.seq)
  state.round += 1
  state.roundsSinceWork += 1
  state.calls = new Map()
  for (const call of entry.tool_calls ?? []) {
    state.calls.set(call.id, { call })
  }
  state.unsettled = state.calls.size
  if (state.unsettled > 0) state.deferred.push(...unseen)
  else for (const message of unseen) showMessage(state, message, entry.seq)
  if (entry.content !== null && !isBlank(entry.content)) state.lastText = entry.content
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
    showMessage(state, truncateResult(entry, session), entry.seq)
    if (entry.outcome === undefined) applyTeam(state, known)
    if (entry.outcome === 'refused' && entry.code === 'budget')
      state.refusedByBudget.set(entry.content, (state.refusedByBudget.get(entry.content) ?? 0) + 1)
    if (state.unsettled === 0)
      for (const message of state.deferred.splice(0)) showMessage(state, message, entry.seq)
  }
  state.usage = addUsage(state.usage, entry.usage)
  state.sessions += entry.sessions ?? 0
  state.callCount += (entry.calls ?? 0) + (entry.outcome === 'refused' ? 0 : 1)
}

/** Applies a completed call that created or deleted a team. */
function applyTeam({ teams }: SessionState, { call, started }: CallState): void {
  const name = started?.['team']
  if (typeof name !== 'string') return
  const members = startedMembers(started?.['members'])
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
      if (typeof entry['message'] === 'string') state.receivedMessages.add(entry['message'])
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
      state.usage = addUsage(state.usage, entry['usage'] as Usage | undefined)
      showSummary(state, entry)
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
