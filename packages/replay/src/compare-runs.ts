import type { Json, JsonObject, ResultEntry, WireCall } from '@cadre/core'
import type { Difference } from './difference.ts'
import type { Fixture, FixtureSession } from './fixture.ts'
import { type Decision, type Lane, laneOf, type TurnEnd } from './lane.ts'
import { markLaterDifferences } from './mark-later-differences.ts'

/** A session in a replay. */
export interface ReplayedSession {
  /** Its number in the fixture, or 0 if the recording does not contain it. */
  readonly number: number
  readonly agents: readonly string[]
  readonly session: FixtureSession
  /** Set if it needed a reply that the recording does not contain. */
  readonly isBeyond: boolean
  /** The call that started it, with the parent's number. */
  readonly parent?: { readonly session: number; readonly call: string }
}

/** Compares a replay's sessions with the recorded ones, session by session, in fixture order. */
export function compareRuns(fixture: Fixture, replayed: readonly ReplayedSession[]): readonly Difference[] {
  const found = fixture.sessions.flatMap((session, index) => {
    const number = index + 1
    const now = replayed.find((one) => one.number === number)
    if (now !== undefined) return compareSessions(session, now)
    return [missingSession(fixture, number)]
  })
  const added = replayed.filter(({ number }) => number === 0).map(addedSession)
  return markLaterDifferences([...found, ...added], fixture)
}

function missingSession(fixture: Fixture, number: number): Difference {
  const agents = agentsAbove(fixture, number)
  return { kind: 'session', session: number, agents, round: 0, before: 'started', after: 'not started' }
}

function addedSession({ agents }: ReplayedSession): Difference {
  return { kind: 'session', session: 0, agents, round: 0, before: 'not started', after: 'started' }
}

/** The chain of agents, from the entry session to a session in the fixture. */
export function agentsAbove({ sessions }: Fixture, number: number): readonly string[] {
  const names: string[] = []
  // Parents come first in a fixture, so this loop ends.
  for (let at: number | undefined = number; at !== undefined; ) {
    const session: FixtureSession | undefined = sessions[at - 1]
    if (session === undefined) break
    names.unshift(session.agent)
    at = session.parent?.session
  }
  return names
}

function compareSessions(before: FixtureSession, now: ReplayedSession): Difference[] {
  const after = now.session
  const was = laneOf(before)
  const is = laneOf(after)
  const differences: Difference[] = []
  const add = (difference: Pick<Difference, 'kind' | 'round' | 'call' | 'what' | 'before' | 'after'>) =>
    differences.push({ session: now.number, agents: now.agents, ...difference })
  for (const [what, one, other] of changedFields(before.definition, after.definition))
    add({ kind: 'agent', round: 0, what, before: one, after: other })
  if (!was.isPromptEdited && before.systemPrompt !== after.systemPrompt)
    add({ kind: 'prompt', round: 0, before: before.systemPrompt, after: after.systemPrompt })
  const last = Math.min(was.replies.length, is.replies.length)
  for (let round = 0; round <= last; round++) {
    const isEdited = was.editedAt !== undefined && round <= was.editedAt
    for (const call of (round > 0 && was.replies[round - 1]?.tool_calls) || [])
      for (const difference of compareCall(call, was, is, isEdited)) add({ ...difference, round })
    if (!isEdited) for (const difference of compareMessages(was, is, round)) add({ ...difference, round })
  }
  if (is.replies.length < was.replies.length)
    add({ kind: 'round', round: last, before: was.replies.length, after: is.replies.length })
  else if (now.isBeyond)
    add({ kind: 'round', round: last, before: was.replies.length, after: is.replies.length + 1 })
  for (const difference of compareEnds(was.ends, is.ends)) add(difference)
  return differences
}

function changedFields(before: JsonObject, after: JsonObject): [field: string, before: Json, after: Json][] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return fields.flatMap((field): [string, Json, Json][] => {
    const [one, other] = [before[field] ?? null, after[field] ?? null]
    return stable(one) === stable(other) ? [] : [[field, one, other]]
  })
}

/** As JSON with sorted keys. */
function stable(value: Json): string {
  return JSON.stringify(value, (_key, item: Json) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

type Found = Pick<Difference, 'kind' | 'call' | 'what' | 'before' | 'after'>

function compareCall(
  { id, function: { name, arguments: input } }: WireCall,
  was: Lane,
  is: Lane,
  isEdited: boolean,
) {
  const call = { id, tool: name }
  const before = was.decisions.get(id)
  const after = is.decisions.get(id)
  // The call was never decided, because the session was stopped before.
  if (before === undefined || after === undefined) return []
  const found: Found[] = []
  const isDecided = before.map(decidedText).join('\n') === after.map(decidedText).join('\n')
  if (!isDecided) found.push({ kind: 'decision', call, before: before.map(shown), after: after.map(shown) })
  const [one, other] = [before.at(-1)?.input ?? input, after.at(-1)?.input ?? input]
  if (isDecided && one !== other) found.push({ kind: 'call', call, before: one, after: other })
  const [result, now] = [was.results.get(id), is.results.get(id)]
  // The consequences of a changed decision are part of that difference.
  const isPinned = isEdited || (result as { readonly edited?: true } | undefined)?.edited === true
  if (isDecided && !isPinned && result !== undefined && now !== undefined)
    found.push(...compareResults(result, now).map((difference) => ({ ...difference, call })))
  return found
}

function decidedText({ decision, by, rule, context }: Decision): string {
  return JSON.stringify([decision, by, rule, context ?? null])
}

function shown({ decision, by, rule, reason, context }: Decision): Json {
  return { decision, by, rule, ...(reason !== '' && { reason }), ...(context !== undefined && { context }) }
}

function compareResults(was: ResultEntry, is: ResultEntry): Found[] {
  const [before, after] = [was, is].map(({ outcome = 'done', code, content }) =>
    JSON.stringify([outcome, code ?? null, content]),
  )
  if (before === after) return []
  const text = ({ outcome, content }: ResultEntry) =>
    outcome === undefined ? content : `${outcome}: ${content}`
  return [{ kind: 'result', before: text(was), after: text(is) }]
}

function compareMessages(was: Lane, is: Lane, round: number): Found[] {
  const before = was.own.get(round) ?? []
  const after = is.own.get(round) ?? []
  const count = Math.max(before.length, after.length)
  return Array.from({ length: count }, (_, index): Found[] => {
    const [one, other] = [before[index], after[index]]
    if (one?.content === other?.content && one?.from === other?.from) return []
    const what = (other ?? one)?.nudge ?? (other ?? one)?.from ?? 'cadre'
    return [{ kind: 'message', what, before: one?.content ?? null, after: other?.content ?? null }]
  }).flat()
}

function compareEnds(was: readonly TurnEnd[], is: readonly TurnEnd[]) {
  return Array.from({ length: Math.max(was.length, is.length) }, (_, index) => {
    const [one, other] = [was[index], is[index]]
    const [before, after] = [endOf(one), endOf(other)]
    if (stable(before) === stable(after)) return []
    return [{ kind: 'report' as const, round: (other ?? one)?.round ?? 0, before, after }]
  }).flat()
}

/** A replay ignores model availability and cost. */
const ignored = /^(?:model|budget.*|path)$/

function endOf(end: TurnEnd | undefined): Json {
  if (end === undefined) return null
  const { status, text, notices = [], output } = end.report
  const told = notices
    .filter(({ code }) => !ignored.test(code))
    .map(({ code, message }) => `${code}: ${message}`)
  return { status, text, ...(told.length > 0 && { notices: told }), ...(output !== undefined && { output }) }
}
