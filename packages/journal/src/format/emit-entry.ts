import type { Entry, WireCall } from '@cadre/core'
import { flow, isPlain, scalar } from '@cadre/disk'

const pad = '      '
const callIdPad = '          '
const callPad = '            '
/** A key longer than this is not read as one by every parser. */
export const longestKey = 200

/**
 * The text of one entry. It begins with its `seq` and ends with a mark that names it again, so that an entry that was
 * cut anywhere is recognised. All content is indented deeper than an entry: text cannot forge one.
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

/** Many entries in a row have the same timestamp. */
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

/** A key that every parser reads as it is written. */
export function isSimpleKey(key: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(key) && key.length <= longestKey && (key.startsWith('_') || isPlain(key))
}

/** Keys come from few places and are the same again and again. */
const simpleKeys = new Set<string>()

/** Also for the keys of a header's metadata. */
export function emitKey(key: string): string {
  if (simpleKeys.has(key)) return key
  if (isSimpleKey(key)) {
    if (simpleKeys.size < 1_000) simpleKeys.add(key)
    return key
  }
  if (key.length > longestKey) throw new Error(`unreachable: a journal key of ${key.length} characters`)
  return flow(key)
}
