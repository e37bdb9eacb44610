import { SpendingCount } from '../budget/spending.ts'
import type { StoredSession } from '../ports/engine.ts'
import type { Entry, EventEntry, WireCall } from '../ports/entry.ts'
import type { CadreEvent, EventBody } from '../ports/events.ts'
import type { Report, SpentBudget } from '../ports/report.ts'
import type { Vote } from '../ports/votes.ts'
import { isOutdated } from '../session/state.ts'
import { judgedEvent, replyEvent, settledEvent, startedEvent } from './entry-events.ts'

/** Reads the events of a session from its journal. Folding them gives the same view as the live events. */
export function eventsOf(stored: StoredSession): CadreEvent[] {
  const { spec, entries } = stored
  const events: CadreEvent[] = []
  const names = new Map<string, string>()
  const calls = new Map<string, WireCall>()
  const background = new Set<string>()
  const spending = new SpendingCount()
  let round = 0
  const add = (body: EventBody, at: string, seq: number) =>
    events.push({ ...body, at, seq, session: spec.id } as CadreEvent)
  add(startedEvent(spec, false), spec.created, 0)
  let isWorkKnown = false
  let before = spec.created
  for (const entry of entries) {
    const { timestamp, seq } = entry
    const readyAt = before
    before = timestamp
    spending.apply(entry)
    // Messages of an earlier session are not events of this one.
    if ((entry.role === 'user' || entry.role === 'assistant') && entry.earlier) continue
    if (entry.role === 'assistant') {
      if (isOutdated(entry)) continue
      round += 1
      for (const call of entry.tool_calls ?? []) {
        names.set(call.id, call.function.name)
        calls.set(call.id, call)
      }
      // A journal does not record when the model was asked. At the earliest, that was after the entry before the reply.
      add({ type: 'round.started', round }, readyAt, seq)
    }
    // The start event already contains the work.
    if (
      entry.role === 'user' &&
      entry.from === undefined &&
      entry.content === spec.work.content &&
      !isWorkKnown
    ) {
      isWorkKnown = true
      continue
    }
    if (entry.role === 'event' && entry.type === 'session.resumed') {
      add(startedEvent(spec, true), timestamp, seq)
    }
    if (entry.role === 'event' && entry.type === 'call.started' && entry['background'] === true)
      background.add(entry.call ?? '')
    const call = entry.role === 'event' ? calls.get(entry.call ?? '') : undefined
    const judged = entry.role === 'event' && call ? judgedEvent(entry, call, spec) : undefined
    if (judged !== undefined) add(judged, timestamp, seq)
    const body = bodyOf(entry, round, { names, background, spent: spending.charged }, stored)
    if (body !== undefined) add(body, timestamp, seq)
  }
  return events
}

/** What earlier entries say. */
interface Known {
  readonly names: ReadonlyMap<string, string>
  readonly background: ReadonlySet<string>
  readonly spent: SpentBudget | undefined
}

function bodyOf(
  entry: Entry,
  round: number,
  { names, background, spent }: Known,
  { spec }: StoredSession,
): EventBody | undefined {
  switch (entry.role) {
    case 'user':
      return {
        type: 'message.added',
        from: entry.from ?? 'person',
        text: entry.content,
        ...(entry.nudge && { nudge: entry.nudge, round }),
      }
    case 'assistant':
      return replyEvent(entry, round, spec, spent)
    case 'tool_result':
      return settledEvent(entry, background.has(entry.tool_call_id))
    case 'event':
      return entry.type === 'journal.edited'
        ? { type: 'journal.edited', summary: entry.content ?? '', rounds: round }
        : eventBody(entry, names, spent)
  }
}

function eventBody(entry: EventEntry, names: Known['names'], spent: Known['spent']): EventBody | undefined {
  const { call = '', child, content = '' } = entry
  switch (entry.type) {
    case 'call.started':
      return { type: 'call.started', call, tool: names.get(call) ?? '', ...(child && { child }) }
    case 'notice.added':
      return { type: 'notice.added', notice: { code: String(entry['code'] ?? ''), message: content } }
    case 'person.asked':
      return {
        type: 'person.asked',
        question: String(entry['name'] ?? ''),
        call,
        text: String(entry['text'] ?? content),
        choices: (entry['choices'] as string[] | undefined) ?? [],
      }
    case 'person.answered':
      return {
        type: 'person.answered',
        question: String(entry['name'] ?? ''),
        decision: String(entry['decision'] ?? ''),
        ...(typeof entry['by'] === 'string' && { by: entry['by'] }),
        ...(typeof entry['reason'] === 'string' && { reason: entry['reason'] }),
        ...(Array.isArray(entry['votes']) && { votes: entry['votes'] as unknown as readonly Vote[] }),
      }
    case 'context.compacted':
      return { type: 'context.compacted', summary: content, before: Number(entry['up_to'] ?? 0) }
    case 'session.ended':
      return {
        type: 'session.ended',
        report: entry['report'] as unknown as Report,
        ...(spent && { spent }),
      }
    default:
      return undefined
  }
}
