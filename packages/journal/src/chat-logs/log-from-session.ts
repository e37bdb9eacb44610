import {
  type Entry,
  isObject,
  type JsonObject,
  parseJson,
  type ResultEntry,
  type StoredSession,
  type WireCall,
} from '@cadre/core'
import type { ChatLog, LogEntry } from './chat-log.ts'

/** A session as a chat log. Omits what a log cannot contain: images, events and the cost of calls. */
export function logFromSession({ spec, entries }: Pick<StoredSession, 'spec' | 'entries'>): ChatLog {
  const { agent, systemPrompt, created, history = [] } = spec
  const began = entries.some((entry) => 'earlier' in entry)
  // A session without entries has its history only in its header.
  const before: LogEntry[] = began
    ? []
    : history.map(({ role, content }) => ({ time: logTime(created), role, content }))
  return {
    agent: agent.name,
    type: agent.type ?? agent.name,
    created: logTime(created),
    systemPrompt,
    entries: [...(entries.length === 0 ? before : []), ...logEntriesOf(entries)],
  }
}

/** The conversation in the order of a log: the results of a reply's calls follow directly after them, in the order of the calls. */
export function logEntriesOf(entries: readonly Entry[]): LogEntry[] {
  const results = new Map<string, ResultEntry>()
  for (const entry of entries)
    if (entry.role === 'tool_result' && !results.has(entry.tool_call_id))
      results.set(entry.tool_call_id, entry)
  const said: LogEntry[] = []
  for (const entry of entries) {
    const time = logTime(entry.timestamp)
    if (entry.role === 'user') said.push({ time, role: 'user', content: entry.content })
    if (entry.role !== 'assistant') continue
    const calls = entry.tool_calls ?? []
    const content = entry.content ?? ''
    // Without it, the calls would become part of the previous reply.
    if (content !== '' || calls.length === 0 || /^(?:assistant|tool_call)$/.test(said.at(-1)?.role ?? ''))
      said.push({ time, role: 'assistant', content })
    for (const call of calls) said.push({ time, role: 'tool_call', ...calledOf(call) })
    for (const { id } of calls) {
      const result = results.get(id)
      if (result !== undefined)
        said.push({ time: logTime(result.timestamp), role: 'tool_result', content: result.content })
    }
  }
  return said
}

function calledOf({ function: { name, arguments: written } }: WireCall) {
  const parsed = parseJson(written)
  return { name, input: parsed.ok && isObject(parsed.value) ? (parsed.value as JsonObject) : written }
}

/** `YYYY-MM-DD HH:MM:SS`, in UTC. */
function logTime(instant: string): string {
  const ms = Date.parse(instant)
  return new Date(Number.isNaN(ms) ? 0 : ms).toISOString().slice(0, 19).replace('T', ' ')
}
