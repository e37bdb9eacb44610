import type { Entry, WireCall } from '@cadre/core'
import { flow, isPlain, scalar } from '@cadre/disk'

const pad = '      '
const callIdPad = '          '
const callPad = '            '
/** Not every parser accepts longer keys. */
export const maxKeyLength = 200

/**
 * Returns the text of one entry. It starts with its `seq` and ends with a marker that repeats the number, so that a truncated entry is
 * recognised. All content is indented deeper than an entry, so text cannot forge one.
 */
export function emitEntry(entry: Entry): string {
  let text = `  - seq: ${entry.seq}\n    timestamp: ${written(entry.timestamp)}\n    role: ${entry.role}\n`
  for (const key of Object.keys(entry)) {
    if (key === 'seq' || key === 'timestamp' || key === 'role') continue
    const value = entry[key as keyof Entry] as unknown
    if (value === undefined) continue
    if (key === 'tool_calls' && entry.role === 'assistant' && entry.tool_calls?.length) {
      text += `    tool_calls:\n${entry.tool_calls.map(emitCall).join('')}`
    } else {
      text += `    ${emitKey(key)}: ${typeof value === 'string' ? scalar(value, pad) : flow(value)}\n`
    }
  }
  return `${text}    # end ${entry.seq}\n`
}

let lastTimestamp = ''
let lastWritten = "''"

/** Cached, because many consecutive entries share a timestamp. */
function written(timestamp: string): string {
  if (timestamp !== lastTimestamp) {
    lastTimestamp = timestamp
    lastWritten = scalar(timestamp, pad)
  }
  return lastWritten
}

function emitCall(call: WireCall): string {
  const { name, arguments: input } = call.function
  return (
    `      - id: ${scalar(call.id, callIdPad)}\n        type: function\n        function:\n` +
    `          name: ${scalar(name, callPad)}\n          arguments: ${scalar(input, callPad)}\n`
  )
}

/** Returns whether every parser reads the key unquoted. */
export function isSimpleKey(key: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(key) && key.length <= maxKeyLength && (key.startsWith('_') || isPlain(key))
}

/** A cache, because few different keys are used. */
const simpleKeys = new Set<string>()

/** Also used for keys in the metadata of a header. */
export function emitKey(key: string): string {
  if (simpleKeys.has(key)) return key
  if (isSimpleKey(key)) {
    if (simpleKeys.size < 1_000) simpleKeys.add(key)
    return key
  }
  if (key.length > maxKeyLength) throw new Error(`unreachable: a journal key of ${key.length} characters`)
  return flow(key)
}
