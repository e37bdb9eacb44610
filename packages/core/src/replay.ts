import type { StoredSession } from './engine.ts'
import type { Entry, EventEntry } from './entry.ts'
import type { CadreEvent, EventBody } from './events.ts'
import type { Report } from './report.ts'
import { isOutdated } from './state.ts'

/** The events of a session, read back from its journal: a surface that folds them sees what a live one saw. */
export function eventsOf(stored: StoredSession): CadreEvent[] {
  const { spec, entries } = stored
  const events: CadreEvent[] = []
  const names = new Map<string, string>()
  let round = 0
  const add = (body: EventBody, at: string, seq: number) =>
    events.push({ ...body, at, seq, session: spec.id } as CadreEvent)
  const started: EventBody = {
    type: 'session.started',
    agent: spec.agent.name,
    model: spec.model,
    work: spec.work.content,
    root: spec.root,
    depth: spec.depth,
    ...(spec.parent && { parent: spec.parent }),
  }
  add(started, spec.created, 0)
  let isWorkKnown = false
  for (const entry of entries) {
    const { timestamp, seq } = entry
    // What was said before the session began is no event of it.
    if ((entry.role === 'user' || entry.role === 'assistant') && entry.earlier) continue
    if (entry.role === 'assistant') {
      if (isOutdated(entry)) continue
      round += 1
      for (const call of entry.tool_calls ?? []) names.set(call.id, call.function.name)
      add({ type: 'round.started', round }, timestamp, seq)
    }
    // The work is what the start of the session tells already.
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
      add({ ...started, resumed: true }, timestamp, seq)
    }
    const body = bodyOf(entry, round, names, stored)
    if (body !== undefined) add(body, timestamp, seq)
  }
  return events
}

function bodyOf(
  entry: Entry,
  round: number,
  names: ReadonlyMap<string, string>,
  { spec }: StoredSession,
): EventBody | undefined {
  switch (entry.role) {
    case 'user':
      return { type: 'message.added', from: entry.from ?? 'person', text: entry.content }
    case 'assistant':
      return {
        type: 'reply.received',
        round,
        text: entry.content ?? '',
        calls: (entry.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          input: call.function.arguments,
        })),
        model: entry.model ?? spec.model,
        ...(entry.usage && { usage: entry.usage }),
      }
    case 'tool_result':
      return {
        type: 'call.settled',
        call: entry.tool_call_id,
        outcome: entry.outcome ?? 'done',
        content: entry.content,
        ...(entry.code && { code: entry.code }),
      }
    case 'event':
      return entry.type === 'journal.edited'
        ? { type: 'journal.edited', summary: entry.content ?? '', rounds: round }
        : eventBody(entry, names)
  }
}

function eventBody(entry: EventEntry, names: ReadonlyMap<string, string>): EventBody | undefined {
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
      }
    case 'context.compacted':
      return { type: 'context.compacted', summary: content, before: Number(entry['up_to'] ?? 0) }
    case 'session.ended':
      return { type: 'session.ended', report: entry['report'] as unknown as Report }
    default:
      return undefined
  }
}
