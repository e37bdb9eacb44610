import { isObject, type JsonObject } from '@cadre/core'
import { type RawText, readYaml, textOf } from '@cadre/disk'
import type { ChatLog, LogEntry } from './chat-log.ts'
import { type EntryHeading, looksLikeHeading, readHeading, sectionOf, unescapeText } from './log-lines.ts'

/** The byte range of an entry in its file, from its heading to the next one. */
export interface PlacedEntry {
  readonly entry: LogEntry
  readonly line: number
  readonly start: number
  readonly end: number
}

export interface LogProblem {
  readonly line: number
  readonly message: string
}

export type ParsedChatLog =
  | {
      readonly kind: 'log'
      readonly log: ChatLog
      readonly placed: readonly PlacedEntry[]
      readonly problems: readonly LogProblem[]
    }
  /** Not a log: an agent file, or something else. */
  | { readonly kind: 'other'; readonly reason: string; readonly isAgentFile: boolean }

const maxBytes = 32 * 1_024 * 1_024
const yamlSize = { letters: 4 * 1_024 * 1_024, nodes: 200_000 }

/** Reads a chat log of any author. Never throws. */
export function readChatLog(raw: RawText): ParsedChatLog {
  if (raw.length > maxBytes)
    return { kind: 'other', reason: 'the file is larger than 32 MB', isAgentFile: false }
  const lines = linesOf(raw)
  const first = lines.findIndex(({ text }) => text.trim() !== '')
  const title = lines[first]?.text ?? ''
  if (/^---\s*$/.test(title))
    return { kind: 'other', reason: 'the file has an agent header', isAgentFile: true }
  const agent = textOf(/^# Agent:[ \t]*(.*?)[ \t]*$/i.exec(title)?.[1] ?? '')
  if (agent === '')
    return { kind: 'other', reason: 'the file does not begin with "# Agent: <id>"', isAgentFile: false }
  const parts = partsOf(lines.slice(first + 1))
  const problems: LogProblem[] = []
  if (parts.conversation === undefined)
    problems.push({
      line: first + 1,
      message: 'The line "## Conversation" is missing. Add it before the first entry.',
    })
  const placed = entriesIn(
    parts.conversation ?? [],
    raw.length,
    (from, to) => textOf(raw.slice(from, to)),
    problems,
  )
  const fields = fieldsOf(parts.head)
  const { type, created } = fields
  return {
    kind: 'log',
    log: {
      agent,
      ...(type && { type }),
      ...(created && { created }),
      systemPrompt: unescapeText(parts.prompt.map(({ text }) => textOf(text)).join('\n')),
      entries: placed.map(({ entry }) => entry),
    },
    placed,
    problems,
  }
}

interface Line {
  readonly text: RawText
  readonly number: number
  readonly start: number
  /** After its line ending. */
  readonly end: number
}

function linesOf(raw: RawText): Line[] {
  const lines: Line[] = []
  // The byte order mark that some editors write.
  let start = raw.startsWith('\xef\xbb\xbf') ? 3 : 0
  for (let number = 1; start <= raw.length; number++) {
    const at = raw.indexOf('\n', start)
    const end = at < 0 ? raw.length + 1 : at + 1
    lines.push({
      text: raw.slice(start, end - 1).replace(/\r$/, ''),
      number,
      start,
      end: Math.min(end, raw.length),
    })
    start = end
  }
  return lines
}

function partsOf(lines: readonly Line[]) {
  const promptAt = lines.findIndex(({ text }) => sectionOf(text) === 'system prompt')
  const talkAt = lines.findIndex(({ text }) => sectionOf(text) === 'conversation')
  const hasPrompt = promptAt >= 0 && (talkAt < 0 || promptAt < talkAt)
  const headEnd = hasPrompt ? promptAt : talkAt
  return {
    head: lines.slice(0, headEnd < 0 ? lines.length : headEnd),
    prompt: hasPrompt ? lines.slice(promptAt + 1, talkAt < 0 ? lines.length : talkAt) : [],
    conversation: talkAt < 0 ? undefined : lines.slice(talkAt + 1),
  }
}

function fieldsOf(lines: readonly Line[]): { readonly [key: string]: string } {
  const fields: Record<string, string> = {}
  for (const { text } of lines) {
    const [, key, value] = /^(?:- )?\**(type|created)\**:\**[ \t]*(.*?)[ \t]*$/i.exec(text) ?? []
    if (key !== undefined && value) fields[key.toLowerCase()] ??= textOf(value)
  }
  return fields
}

function entriesIn(
  lines: readonly Line[],
  end: number,
  textAt: (from: number, to: number) => string,
  problems: LogProblem[],
): PlacedEntry[] {
  const headings = lines.flatMap((line) => {
    const read = readHeading(line.text)
    if (read === undefined && looksLikeHeading(line.text))
      problems.push({
        line: line.number,
        message:
          'This looks like an entry heading, but Cadre treats it as text. Write "### YYYY-MM-DD HH:MM:SS | user", or assistant, tool_call, tool_result.',
      })
    return read === undefined ? [] : [{ ...read, line }]
  })
  return headings.map(({ line, ...heading }, at) => {
    const until = headings[at + 1]?.line.start ?? end
    const entry = entryOf(heading, unescapeText(textAt(line.end, until)))
    return { entry, line: line.number, start: line.start, end: until }
  })
}

function entryOf({ time, role }: EntryHeading, body: string): LogEntry {
  if (role !== 'tool_call') return { time, role, content: body }
  const at = body.indexOf('\n')
  const name = (at < 0 ? body : body.slice(0, at)).trim().replace(/:$/, '')
  return { time, role, name, input: at < 0 ? {} : inputOf(body.slice(at + 1)) }
}

/** A call's arguments. Anything but a mapping is kept as text. */
export function inputOf(written: string): JsonObject | string {
  if (written.trim() === '') return {}
  const read = readYaml({ text: written, path: 'arguments', limits: yamlSize })
  if (read.kind === 'broken') return written
  const { value } = read.root
  if (isObject(value)) return value as JsonObject
  return typeof value === 'string' ? value : written
}
