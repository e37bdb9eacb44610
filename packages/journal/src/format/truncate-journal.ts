import { CadreError, type Entry, type EventEntry, type Report } from '@cadre/core'
import { addChunk } from './add-chunk.ts'
import { emitOutcome, emitStamp, type HeaderLayout } from './emit-header.ts'
import { EntryNumbers } from './entry-numbers.ts'
import { readEntry } from './read-entry.ts'
import { readHeader } from './read-header.ts'
import { findTornEnd, isComment } from './read-journal.ts'
import { TextCursor } from './text-cursor.ts'

export interface TruncatedJournal {
  /** The file without the removed entries. The rest of the file does not change, except for the status in the header. */
  readonly bytes: Buffer
  readonly kept: readonly Entry[]
  readonly removed: readonly Entry[]
}

/**
 * Removes the entry with this number and everything after it. In the middle of a round whose calls have run, the whole round goes: a call
 * without its result would run again. Throws a `CadreError` if there is no such entry, if nothing would be left, or if the file is not in
 * Cadre's format.
 */
export function truncateJournal(bytes: Buffer, seq: number, now: string): TruncatedJournal {
  const { entries, offsets, layout } = placesOf(bytes)
  const asked = entries.findIndex((entry) => entry.seq >= seq)
  const last = entries.at(-1)
  if (asked < 0)
    throw new CadreError(
      'not_found',
      `there is no entry ${seq}. ${last === undefined ? 'The session has no entries' : `The last entry is ${last.seq}`}.`,
    )
  const at = withoutResume(entries, startOfRound(entries, asked))
  const first = entries.findIndex((entry) => entry.role === 'user' && !entry.earlier)
  if (at <= first)
    throw new CadreError(
      'usage',
      `entry ${seq} is part of the start of the session, which cannot be removed. Start a new session instead.`,
    )
  const kept = entries.slice(0, at)
  const content = Buffer.from(bytes.subarray(0, offsets[at]))
  writeState(content, layout, kept, now)
  return { bytes: content, kept, removed: entries.slice(at) }
}

interface Places {
  readonly entries: readonly Entry[]
  /** The byte offset of each entry, and of a remark above it. */
  readonly offsets: readonly number[]
  readonly layout: HeaderLayout
}

function placesOf(bytes: Buffer): Places {
  const text = bytes.toString('utf8')
  const header = readHeader(text)
  if (header === undefined || !Buffer.from(text).equals(bytes)) throw notOurs()
  const cut = findTornEnd(text, header.end)
  const cursor = new TextCursor(text.slice(0, cut))
  cursor.at = header.end
  const numbers = new EntryNumbers(String(header.fields['updated']))
  const offsets: number[] = []
  let at = Buffer.byteLength(text.slice(0, header.end))
  let remark: number | undefined
  while (cursor.at < cut) {
    const from = cursor.at
    const entry = readEntry(cursor)
    if (entry !== undefined) numbers.add(entry)
    else {
      const next = text.indexOf('\n  - ', from)
      const chunk = text.slice(from, next < 0 || next >= cut ? cut : next + 1)
      cursor.at += chunk.length
      if (isComment(chunk)) {
        remark ??= at
        at += Buffer.byteLength(chunk)
        continue
      }
      if (!addChunk(chunk, numbers)) throw notOurs()
    }
    offsets.push(remark ?? at)
    remark = undefined
    at += Buffer.byteLength(text.slice(from, cursor.at))
  }
  return { entries: numbers.entries, offsets, layout: header.layout }
}

/**
 * The position of the first reply whose calls have started or ended in the removed part, or about which a person has decided there. Without
 * the whole round, a rejection could be removed while the approvals before it stay.
 */
function startOfRound(entries: readonly Entry[], at: number): number {
  const acted = new Set(
    entries.slice(at).flatMap((entry) => {
      if (entry.role === 'tool_result') return [entry.tool_call_id]
      if (entry.role !== 'event') return []
      if (entry.type === 'call.started') return [entry.call ?? '']
      return isDecision(entry) ? [callOf(entries, entry['name'])] : []
    }),
  )
  const reply = entries.findIndex(
    (entry, index) =>
      index < at && entry.role === 'assistant' && (entry.tool_calls ?? []).some(({ id }) => acted.has(id)),
  )
  return reply < 0 ? at : reply
}

function isDecision({ type }: EventEntry): boolean {
  return type === 'person.voted' || type === 'person.answered'
}

function callOf(entries: readonly Entry[], question: unknown): string {
  const asked = entries.find(
    (entry) => entry.role === 'event' && entry.type === 'person.asked' && entry['name'] === question,
  )
  return asked?.role === 'event' ? (asked.call ?? '') : ''
}

/** The record that a session was resumed belongs to the message after it. */
function withoutResume(entries: readonly Entry[], at: number): number {
  const before = entries[at - 1]
  return before?.role === 'event' && before.type === 'session.resumed' ? withoutResume(entries, at - 1) : at
}

/** A session that was not at its end is stopped: it continues when somebody resumes it. */
function writeState(
  content: Buffer,
  { stampAt, outcomeAt }: HeaderLayout,
  kept: readonly Entry[],
  now: string,
) {
  const end = kept.at(-1)
  const report =
    end?.role === 'event' && end.type === 'session.ended' ? (end['report'] as unknown as Report) : undefined
  const outcome = report?.status
  const isCompleted = outcome === 'completed' || outcome === 'incomplete'
  const status = outcome === undefined ? 'active' : isCompleted ? 'completed' : 'error'
  content.write(emitStamp(now, status), stampAt)
  content.write(emitOutcome(outcome), outcomeAt)
}

function notOurs(): CadreError {
  return new CadreError(
    'usage',
    "the session file is not in Cadre's format. Resume the session once, or edit the file yourself.",
  )
}
