import type { LogRole } from './chat-log.ts'

/**
 * Lines with a meaning in a chat log, and how text that looks like one is escaped: with a backslash before it. A line that already starts
 * with backslashes before such text gets one more, so that every text can be restored.
 */

const heading =
  /^### (\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z? ?\| ?(user|assistant|tool_call|tool_result)[ \t]*$/
const nearHeading = /^###\s*\d{4}-\d\d-\d\d\b.*\|/
const section = /^## (System Prompt|Conversation)[ \t]*$/i

export interface EntryHeading {
  readonly time: string
  readonly role: LogRole
}

export function readHeading(line: string): EntryHeading | undefined {
  const [, day, time, role] = heading.exec(line) ?? []
  return day === undefined ? undefined : { time: `${day} ${time}`, role: role as LogRole }
}

export function headingText({ time, role }: EntryHeading): string {
  return `### ${time} | ${role}`
}

/** Returns whether a line looks like a misspelt heading. */
export function looksLikeHeading(line: string): boolean {
  return nearHeading.test(line) && readHeading(line) === undefined
}

export function sectionOf(line: string): 'system prompt' | 'conversation' | undefined {
  return section.exec(line)?.[1]?.toLowerCase() as 'system prompt' | 'conversation' | undefined
}

/** Writes text as lines of a log. Escapes empty lines at its beginning and end, because the layout of the file adds others. */
export function escapeText(text: string): string {
  const lines = text
    .replace(/\r+(?=\n|$)/g, '')
    .split('\n')
    .map((line) => (isMarkup(withoutBackslash(line)) || /^\\+\s*$/.test(line) ? `\\${line}` : line))
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  if (first < 0) return lines.length === 1 && text === '' ? '' : lines.map((line) => `\\${line}`).join('\n')
  return lines.map((line, at) => (at < first || at > last ? `\\${line}` : line)).join('\n')
}

/** Reverses `escapeText`. Ignores empty lines around the text, which are only layout. */
export function unescapeText(written: string): string {
  const lines = written.split(/\r?\n/)
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return first < 0
    ? ''
    : lines
        .slice(first, last + 1)
        .map(unescapeLine)
        .join('\n')
}

function unescapeLine(line: string): string {
  const bare = withoutBackslash(line)
  return line !== bare && (bare.trim() === '' || isMarkup(bare)) ? line.slice(1) : line
}

function withoutBackslash(line: string): string {
  return line.replace(/^\\+/, '')
}

function isMarkup(line: string): boolean {
  return readHeading(line) !== undefined || sectionOf(line) !== undefined
}
