import { type RawText, rawOf } from '@cadre/disk'
import { type LogEntry, readChatLog, writeEntries } from '@cadre/journal'
import { pendingMessages } from './pending-messages.ts'

export interface AnswerRequest {
  /** The log's name. */
  readonly log: string
  /** Ids of the messages that the session has received. */
  readonly answeredIds: ReadonlySet<string>
  readonly answer: readonly LogEntry[]
}

/**
 * Inserts an answer after the last of its messages, and before later ones, which stay unanswered. Returns `undefined` if the messages are
 * no longer pending: they were answered or removed. Changes no other byte.
 */
export function insertAnswer(
  raw: RawText | undefined,
  { log, answeredIds, answer }: AnswerRequest,
): RawText | undefined {
  const read = raw === undefined ? undefined : readChatLog(raw)
  if (raw === undefined || read?.kind !== 'log' || answer.length === 0) return undefined
  const pending = pendingMessages(log, read.placed)
  const unheard = pending.findIndex(({ id }) => !answeredIds.has(id))
  const last = pending[(unheard < 0 ? pending.length : unheard) - 1]
  if (last === undefined) return undefined
  const at = last.placed.end
  const before = raw.slice(0, at)
  const lineEnd = /\r\n/.test(raw.slice(0, 1_000)) ? '\r\n' : '\n'
  const written = rawOf(writeEntries(answer).slice(1)).replaceAll('\n', lineEnd)
  const after = raw.slice(at)
  return before + gapAfter(before, lineEnd) + written + (after === '' ? '' : lineEnd) + after
}

/** The line endings that are missing for an empty line. */
function gapAfter(before: RawText, lineEnd: string): string {
  if (!before.endsWith('\n')) return lineEnd + lineEnd
  return /\n\r?\n$/.test(before) ? '' : lineEnd
}
