import { isSimpleKey } from './emit-entry.ts'
import { type HeaderLayout, outcomeComment, outcomeWidth, statusComment, statusWidth } from './emit-header.ts'
import { type JournalValue, TextCursor } from './text-cursor.ts'

/** The keys and values of a header, before validation. */
export interface RawHeader {
  readonly fields: { readonly [key: string]: JournalValue }
  readonly metadata: { readonly [key: string]: JournalValue }
}

export interface HeaderReading extends RawHeader {
  readonly layout: HeaderLayout
  /** Index of the first character after the line `messages:`. */
  readonly end: number
}

const stamp = new RegExp(`^updated: '(.{24})'\nstatus: (\\w+) *${statusComment.replaceAll('|', '\\|')}\n`)
const outcome = new RegExp(`^  outcome: (\\w+) *${outcomeComment.replaceAll('|', '\\|')}\n`)
const stampLength = "updated: ''\nstatus: \n".length + 24 + statusWidth + statusComment.length
const outcomeLength = '  outcome: \n'.length + outcomeWidth + outcomeComment.length

/** Reads the fields above the prompt, which are enough for a list of sessions. `end` is the index after them. */
export function readHeaderTop(
  text: string,
): { fields: RawHeader['fields']; stampIndex: number; end: number } | undefined {
  const cursor = new TextCursor(text)
  const top = pairs(cursor, '', '  ')
  const stampIndex = cursor.at
  const stamped = exactly(stamp, text, stampIndex, stampLength)
  if (top === undefined || stamped === undefined) return undefined
  const fields = { ...top, updated: stamped[1] ?? '', status: stamped[2] ?? '' }
  return { fields, stampIndex, end: stampIndex + stampLength }
}

/** Reads a header in exactly the format of `emitHeader`, so that it can be rewritten in place. Otherwise returns `undefined`. */
export function readHeader(text: string): HeaderReading | undefined {
  const top = readHeaderTop(text)
  if (top === undefined) return undefined
  const { stampIndex } = top
  const cursor = new TextCursor(text)
  cursor.at = top.end
  const prompt = pairs(cursor, '', '  ')
  if (prompt === undefined || !cursor.skipLine('metadata:')) return undefined
  const outcomeIndex = cursor.at
  const ended = readOutcome(text, outcomeIndex)
  if (ended === undefined) return undefined
  cursor.at += outcomeLength
  const metadata = pairs(cursor, '  ', '    ')
  if (metadata === undefined || !cursor.skipLine('messages:')) return undefined
  const stampAt = Buffer.byteLength(text.slice(0, stampIndex))
  return {
    fields: { ...top.fields, ...prompt },
    metadata: { ...metadata, outcome: ended === 'null' ? null : ended },
    layout: { stampAt, outcomeAt: stampAt + Buffer.byteLength(text.slice(stampIndex, outcomeIndex)) },
    end: Math.min(cursor.at, text.length),
  }
}

/** The value of `outcome`, the first key of the metadata. */
export function readOutcome(text: string, at: number): string | undefined {
  return exactly(outcome, text, at, outcomeLength)?.[1]
}

function exactly(pattern: RegExp, text: string, at: number, length: number): RegExpExecArray | undefined {
  const match = pattern.exec(text.slice(at, at + length))
  return match?.[0].length === length ? match : undefined
}

/** Reads `key: value` lines with this indentation, up to the first other line or a key of a later section. */
function pairs(
  cursor: TextCursor,
  indentation: string,
  pad: string,
): Record<string, JournalValue> | undefined {
  const { text } = cursor
  const found: Record<string, JournalValue> = {}
  while (text.startsWith(indentation, cursor.at)) {
    const keyAt = cursor.at + indentation.length
    const colon = text.indexOf(':', keyAt)
    const key = colon < 0 ? '' : text.slice(keyAt, colon)
    if (text.charCodeAt(colon + 1) !== 32 || key === 'updated') return found
    if (!isSimpleKey(key) || Object.hasOwn(found, key) || key === '__proto__') return undefined
    const value = cursor.value(colon + 2, pad)
    if (value === undefined) return undefined
    found[key] = value
  }
  return found
}
