import type { Draft, Json, WireCall } from '@cadre/core'
import { resolveAlias, scalarText, yamlParser } from '@cadre/disk'
import type { Document, YAMLMap } from 'yaml'
import { maxKeyLength } from './emit-entry.ts'

/** An entry that a person wrote. `EntryNumbers` adds its number and other missing fields. */
export interface LenientEntry {
  readonly seq: number | undefined
  readonly timestamp: string | undefined
  readonly draft: Draft
}

/** The call id of a result that names no call. `EntryNumbers` fills it in. */
export const unnamedCall = ''

/** Keys whose values are always text, even if they look like a number or a date. */
const textual = new Set([
  'type',
  'call',
  'key',
  'child',
  'from',
  'nudge',
  'model',
  'stop',
  'outcome',
  'code',
  'tool_call_id',
  'name',
  'decision',
  'by',
  'reason',
  'text',
  'kind',
])

/** Reads an entry in any notation. Returns the reason as a sentence if it is not an entry. */
export function lenientEntry(map: YAMLMap, document: Document.Parsed): LenientEntry | string {
  const values = map.toJS(document) as Record<string, Json>
  const text = (key: string) => scalarText(map.get(key, true), document)
  const { seq, timestamp: _timestamp, role: _role, content: _content, tool_calls: _calls, ...others } = values
  const fields: Record<string, Json> = {}
  for (const [key, value] of Object.entries(others)) {
    if (key.length > maxKeyLength) return `a key in this entry is longer than ${maxKeyLength} characters`
    if (value !== null) fields[key] = textual.has(key) ? (text(key) ?? value) : value
  }
  const content = text('content')
  const draft = draftOf(text('role') ?? '', content ?? null, fields, () => callsOf(map, document))
  if (typeof draft === 'string') return draft
  return {
    seq: typeof seq === 'number' && Number.isSafeInteger(seq) ? seq : undefined,
    timestamp: text('timestamp') ?? undefined,
    draft,
  }
}

function draftOf(
  role: string,
  content: string | null,
  fields: Record<string, Json>,
  calls: () => readonly WireCall[] | string,
): Draft | string {
  switch (role) {
    case 'user':
      return { role, content: content ?? '', ...fields }
    case 'assistant': {
      const list = calls()
      if (typeof list === 'string') return list
      return { role, content, ...(list.length > 0 ? { tool_calls: list } : {}), ...fields }
    }
    case 'tool':
    case 'tool_result': {
      const call = fields['tool_call_id']
      return {
        role: 'tool_result',
        tool_call_id: typeof call === 'string' ? call : unnamedCall,
        content: content ?? '',
        ...fields,
      }
    }
    case 'event':
      if (typeof fields['type'] !== 'string') return 'an entry with the role "event" needs a type'
      return { role, type: fields['type'], ...fields, ...(content === null ? {} : { content }) }
    case '':
      return 'an entry needs a role: user, assistant, tool_result or event'
    default:
      return `"${role}" is not a role: use user, assistant, tool_result or event`
  }
}

function callsOf(map: YAMLMap, document: Document.Parsed): readonly WireCall[] | string {
  const yaml = yamlParser()
  const list = resolveAlias(map.get('tool_calls', true), document)
  if (!yaml.isSeq(list)) return []
  const calls: WireCall[] = []
  for (const item of list.items) {
    const call = resolveAlias(item, document)
    if (!yaml.isMap(call)) return 'each item in tool_calls must be a mapping with a function'
    const inner = resolveAlias(call.get('function', true), document)
    const body = yaml.isMap(inner) ? inner : call
    const name = scalarText(body.get('name', true), document)
    if (name === undefined || name === null) return 'each item in tool_calls needs a function name'
    const id = scalarText(call.get('id', true), document) ?? `call_${calls.length + 1}`
    const input = scalarText(body.get('arguments', true), document) ?? '{}'
    calls.push({ id, type: 'function', function: { name, arguments: input } })
  }
  return calls
}
