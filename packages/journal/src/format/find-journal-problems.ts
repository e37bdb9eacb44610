import { readEntry } from './read-entry.ts'
import { readHeader } from './read-header.ts'
import { canonicalLines, findTornEnd, hasIncompleteHeader, isComment, lineOfKey } from './read-journal.ts'
import { readEntryLeniently, readLeniently, Unreadable } from './read-leniently.ts'
import { InvalidHeader, specFromHeader } from './spec-from-header.ts'
import { TextCursor } from './text-cursor.ts'

export interface JournalProblem {
  readonly severity: 'error' | 'warning'
  /** Counted from 1. */
  readonly line: number
  readonly message: string
}

/** How many entries to check between two pauses. */
const entriesAtOnce = 200
/** The longest text for the YAML parser, which reads text of other programs as a whole and is slow. */
const maxParserLength = 1_000_000

/**
 * Finds parts of a session file that Cadre cannot read or would omit. Yields `undefined` where the caller may pause, so that a large file
 * does not block an editor.
 */
export function* findJournalProblems(text: string): Generator<JournalProblem | undefined, void> {
  const whole = canonicalLines(text)
  if (whole.trim() === '') return
  const header = readHeader(whole)
  if (header === undefined) {
    yield* problemsOfForeign(whole)
    return
  }
  try {
    specFromHeader(header, { id: 'session', workspace: () => '/', work: '' })
  } catch (error) {
    if (!(error instanceof InvalidHeader)) throw error
    yield { severity: 'error', line: lineOfKey(whole, error.key), message: sentence(error.message) }
  }
  const cut = findTornEnd(whole, header.end)
  const cursor = new TextCursor(whole.slice(0, cut))
  cursor.at = header.end
  const lineAt = lineCounter(whole)
  for (let count = 1; cursor.at < cut; count++) {
    if (count % entriesAtOnce === 0) yield undefined
    if (readEntry(cursor) !== undefined) continue
    const next = cursor.text.indexOf('\n  - ', cursor.at)
    const chunk = cursor.text.slice(cursor.at, next < 0 ? cut : next + 1)
    const problem = isComment(chunk) ? undefined : problemOfChunk(chunk, lineAt(cursor.at))
    if (problem !== undefined) yield problem
    cursor.at += chunk.length
  }
  if (cut < whole.length)
    yield {
      severity: 'warning',
      line: lineAt(cut),
      message: 'This entry is incomplete. Cadre omits it when it continues the session.',
    }
}

/** A file that a person wrote, or changed at its top. */
function* problemsOfForeign(text: string): Generator<JournalProblem, void> {
  if (hasIncompleteHeader(text)) {
    const message = 'The beginning of this file is incomplete, so it contains no session.'
    yield { severity: 'warning', line: 1, message }
    return
  }
  if (text.length > maxParserLength) return
  try {
    const loose = readLeniently(text)
    specFromHeader(loose, { id: 'session', workspace: () => '/', work: '' })
  } catch (error) {
    if (error instanceof Unreadable)
      yield { severity: 'error', line: error.line, message: sentence(error.message) }
    else if (error instanceof InvalidHeader)
      yield { severity: 'error', line: lineOfKey(text, error.key), message: sentence(error.message) }
    else throw error
  }
}

function problemOfChunk(chunk: string, line: number): JournalProblem | undefined {
  if (chunk.length > maxParserLength) return undefined
  if (!chunk.startsWith('  - ')) {
    const message =
      'This text is not part of an entry. An entry starts with `  - role:`, with two spaces before the dash.'
    return { severity: 'error', line, message }
  }
  try {
    readEntryLeniently(chunk)
    return undefined
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { severity: 'error', line: line + error.line - 1, message: sentence(error.message) }
  }
}

/** Returns the line of an index. Indexes must not decrease. */
function lineCounter(text: string): (index: number) => number {
  let line = 1
  let at = 0
  return (index) => {
    for (let next = text.indexOf('\n', at); next >= 0 && next < index; next = text.indexOf('\n', at)) {
      line++
      at = next + 1
    }
    return line
  }
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}
