import type { Entry } from '@cadre/core'
import { isSimpleKey } from './emit-entry.ts'
import type { JournalValue, TextCursor } from './text-cursor.ts'

const pad = '      '
const firstKey = '    timestamp: '
const commonKeys = new Set([
  'content',
  'type',
  'call',
  'key',
  'tool_call_id',
  'usage',
  'tool_calls',
  'model',
  'child',
])
const roles = ['user', 'assistant', 'tool_result', 'event'] as const
const roleLines = roles.map((role) => [role, `    role: ${role}`] as const)

/**
 * Reads the entry at the cursor and moves the cursor after its end marker. Returns `undefined`, without moving the cursor, if the entry is
 * not in the format of `emitEntry`.
 */
export function readEntry(cursor: TextCursor): Entry | undefined {
  const start = cursor.at
  const entry = fields(cursor)
  if (entry !== undefined && isEntry(entry)) return entry
  cursor.at = start
  return undefined
}

function fields(cursor: TextCursor): Record<string, JournalValue> | undefined {
  const { text } = cursor
  if (!text.startsWith('  - seq: ', cursor.at)) return undefined
  const seq = cursor.value(cursor.at + 9, pad)
  if (typeof seq !== 'number') return undefined
  const entry: Record<string, JournalValue> = { seq }
  // Cadre writes these two first. Comparing them directly is faster than reading keys.
  if (!text.startsWith(firstKey, cursor.at)) return undefined
  const timestamp = cursor.value(cursor.at + firstKey.length, pad)
  const role = roleLines.find(([, line]) => cursor.skipLine(line))?.[0]
  if (timestamp === undefined || role === undefined) return undefined
  entry['timestamp'] = timestamp
  entry['role'] = role
  while (text.startsWith('    ', cursor.at)) {
    const keyAt = cursor.at + 4
    const first = text.charCodeAt(keyAt)
    if (first === 35) return cursor.skipLine(`    # end ${seq}`) ? entry : undefined
    const colon = text.indexOf(':', keyAt)
    const key = colon < 0 ? '' : text.slice(keyAt, colon)
    const isKey = commonKeys.has(key) || (isSimpleKey(key) && key !== '__proto__')
    if (!isKey || Object.hasOwn(entry, key)) return undefined
    let value: JournalValue | undefined
    if (key === 'tool_calls' && text.charCodeAt(colon + 1) === 10) {
      cursor.at = colon + 2
      value = calls(cursor)
    } else if (text.charCodeAt(colon + 1) === 32) {
      value = cursor.value(colon + 2, pad)
      if (key === 'tool_calls' && entry['role'] !== 'event' && !isEmptyList(value)) return undefined
    }
    if (value === undefined) return undefined
    entry[key] = value
  }
  return undefined
}

function calls(cursor: TextCursor): JournalValue | undefined {
  const { text } = cursor
  const list = []
  while (text.startsWith('      - id: ', cursor.at)) {
    const id = cursor.string(cursor.at + 12, '          ')
    if (!cursor.skipLine('        type: function') || !cursor.skipLine('        function:')) return undefined
    if (!text.startsWith('          name: ', cursor.at)) return undefined
    const name = cursor.string(cursor.at + 16, '            ')
    if (!text.startsWith('          arguments: ', cursor.at)) return undefined
    const input = cursor.string(cursor.at + 21, '            ')
    if (id === undefined || name === undefined || input === undefined) return undefined
    list.push({ id, type: 'function', function: { name, arguments: input } })
  }
  return list
}

/** Checks the fields that a person may break by hand. Only Cadre writes the others. */
function isEntry(entry: Record<string, JournalValue>): entry is Record<string, JournalValue> & Entry {
  const { seq, timestamp, role, content } = entry
  if (!Number.isSafeInteger(seq) || typeof timestamp !== 'string') return false
  switch (role) {
    case 'user':
      return typeof content === 'string'
    case 'assistant':
      return content === null || typeof content === 'string'
    case 'tool_result':
      return typeof content === 'string' && typeof entry['tool_call_id'] === 'string'
    default:
      return typeof entry['type'] === 'string'
  }
}

/** Calls in another notation need the complete parser. */
function isEmptyList(value: JournalValue | undefined): boolean {
  return Array.isArray(value) && value.length === 0
}
