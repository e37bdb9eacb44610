import type { AssistantEntry, Draft, Entry, WireCall } from '@cadre/core'
import type { LogEntry } from './chat-log.ts'

const unansweredResult = 'The chat log has no result for this call.'

/**
 * Converts a log to entries of a session, numbered from `firstSeq`. Results are assigned to the open calls before them, in order. A call
 * without a result gets one that says so, because a call that was read from a file never runs. A result without a call is omitted, because
 * models reject it.
 */
export function entriesFromLog(log: readonly LogEntry[], firstSeq = 1): Entry[] {
  const entries: Entry[] = []
  const open: string[] = []
  let calls = 0
  let time = '1970-01-01T00:00:00.000Z'
  const add = (draft: Draft) => {
    entries.push({ seq: firstSeq + entries.length, timestamp: time, ...draft } as Entry)
  }
  const settle = () => {
    for (const id of open.splice(0))
      add({ role: 'tool_result', tool_call_id: id, content: unansweredResult, outcome: 'cancelled' })
  }
  for (const entry of log) {
    if (entry.role !== 'tool_result' && !(entry.role === 'tool_call' && isCalling(entries.at(-1)))) settle()
    time = instantOf(entry.time) ?? time
    if (entry.role === 'tool_call') {
      const call = callOf(`call_${++calls}`, entry)
      open.push(call.id)
      const last = entries.at(-1)
      // Only calls of this reply can be open here.
      if (last?.role === 'assistant') entries[entries.length - 1] = withCall(last, call)
      else add({ role: 'assistant', content: null, tool_calls: [call] })
    } else if (entry.role === 'tool_result') {
      const id = open.shift()
      if (id !== undefined) add({ role: 'tool_result', tool_call_id: id, content: entry.content })
    } else add({ role: entry.role, content: entry.content })
  }
  settle()
  return entries
}

/** A reply whose calls are still being listed. */
function isCalling(entry: Entry | undefined): entry is AssistantEntry {
  return entry?.role === 'assistant' && entry.tool_calls !== undefined
}

function withCall(reply: AssistantEntry, call: WireCall): AssistantEntry {
  const content = reply.content === '' ? null : reply.content
  return { ...reply, content, tool_calls: [...(reply.tool_calls ?? []), call] }
}

function callOf(id: string, { name, input }: Extract<LogEntry, { role: 'tool_call' }>): WireCall {
  const written = typeof input === 'string' ? input : JSON.stringify(input)
  return { id, type: 'function', function: { name, arguments: written } }
}

function instantOf(time: string): string | undefined {
  const ms = Date.parse(`${time.replace(' ', 'T')}Z`)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}
