import { endOfKeys, findHeaderAndBodyBounds } from './find-header-and-body-bounds.ts'
import type { HeaderRepair, HeaderRepairCode } from './header-repair.ts'
import { indentOf, isBlank, isComment, isKnownKeyLine, keyLineOf } from './key-line.ts'
import { commonLineEnding, joinLines, type Line, linesOf } from './lines.ts'
import type { SplitFile } from './split-file.ts'

const fence = /^ {0,3}(`{3,}|~{3,})[^`]*$/
const heading = /^#{1,6} /

/** Finds the header of a file that does not start with a correct one. */
export function findHeader(text: string): SplitFile {
  const lines = linesOf(text)
  const texts = lines.map((line) => line.text)
  if (texts.every(isBlank)) return { kind: 'empty' }
  const lead = skipLead(texts)
  const opened = openingAt(texts, lead.at)
  if (opened.kind !== 'opened') return opened
  if (opened.mark === undefined && !isHeaderAt(texts, opened.start)) return { kind: 'no-header' }
  const end = findHeaderAndBodyBounds(texts, opened.start, lead.fence, opened.mark)
  const header = texts.slice(opened.start, end.header)
  if (opened.first !== undefined) header[0] = opened.first
  // A horizontal rule in the text is not a header.
  if ((lead.at > 0 || !end.isClosed) && !hasAgentKeys(header)) return { kind: 'no-header' }
  const indent = new RegExp(`^[ \\t]{0,${opened.indent.length}}`)
  return {
    kind: 'split',
    header: header.map((line) => line.replace(indent, '')),
    headerLine: opened.start + 1,
    body: joinLines(lines.slice(end.body, end.last)),
    rescues: [
      ...lead.rescues,
      ...opened.rescues,
      ...(end.isClosed ? [] : [{ code: 'header-unclosed', line: end.header + 1 } as const]),
      ...findLoneReturns(lines.slice(0, end.body)),
    ],
    notes: lead.notes,
    end: commonLineEnding(lines),
  }
}

/**
 * Tries another reading of a closed but invalid header: its end is missing, and the dashes after it are a horizontal rule
 * in the text. There is a heading or a code block before them.
 */
export function findUnclosedHeader(text: string): SplitFile | undefined {
  const lines = linesOf(text)
  const texts = lines.map((line) => line.text)
  if (texts[0]?.trimEnd() !== '---') return undefined
  const end = endOfKeys(texts, 1)
  const dashes = texts.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  const isText = (line: string) => heading.test(line) || fence.test(line)
  if (end === 1 || !texts.slice(end, Math.max(end, dashes)).some(isText)) return undefined
  return {
    kind: 'split',
    header: texts.slice(1, end),
    headerLine: 2,
    body: joinLines(lines.slice(end)),
    rescues: [{ code: 'header-unclosed', line: end + 1 }],
    notes: [],
    end: commonLineEnding(lines),
  }
}

interface Lead {
  /** The first line that can open a header. */
  readonly at: number
  /** The skipped lines, as comments. */
  readonly notes: readonly string[]
  /** The fence of a code block around the header. */
  readonly fence?: string
  readonly rescues: readonly HeaderRepair[]
}

function skipLead(texts: readonly string[]): Lead {
  const notes: string[] = []
  const rescues: HeaderRepair[] = []
  let open: string | undefined
  let isTitled = false
  let at = 0
  for (; at < texts.length; at++) {
    const line = texts[at] as string
    if (isBlank(line)) continue
    if (line.trimStart().startsWith('<!--')) {
      let end = at
      while (end < texts.length && !(texts[end] as string).includes('-->')) end++
      if (end === texts.length) break
      for (; at < end; at++) notes.push(`# ${texts[at]}`)
      notes.push(`# ${texts[end]}`)
    } else if (open === undefined && !isTitled && fence.test(line)) {
      open = fence.exec(line)?.[1]
      rescues.push({ code: 'header-fenced', line: at + 1 })
    } else if (heading.test(line)) {
      // A code block below a title shows the header of another file.
      isTitled = true
      notes.push(line)
    } else break
  }
  if (at > 0 && (open === undefined || notes.length > 0)) rescues.push({ code: 'header-late', line: 1 })
  return { at, notes, rescues, ...(open !== undefined && { fence: open }) }
}

type Opening =
  | {
      readonly kind: 'opened'
      /** The first line of the header. */
      readonly start: number
      /** The content of that line, if it also contains the dashes. */
      readonly first?: string
      readonly indent: string
      /** The opening line, usually `---`. */
      readonly mark?: string
      readonly rescues: readonly HeaderRepair[]
    }
  | Extract<SplitFile, { kind: 'language' | 'no-header' }>

function openingAt(texts: readonly string[], at: number): Opening {
  const line = texts[at] ?? ''
  const rescued = (code: HeaderRepairCode): HeaderRepair[] => [{ code, line: at + 1 }]
  const indent = indentOf(line)
  const dashes = { kind: 'opened', indent, mark: '---' } as const
  const said = line.trim()
  const next = texts.findIndex((other, index) => index > at && !isBlank(other))
  if (said === '---') {
    const rescues = indent === '' ? [] : rescued('header-indented')
    // Dashes twice, with the keys after the second: an empty header would lose them.
    const second = texts.findIndex((other, index) => index > next && !isBlank(other) && !isComment(other))
    const isTwice = texts[next]?.trim() === '---' && isKnownKeyLine(texts[second])
    if (!isTwice) return { ...dashes, start: at + 1, rescues }
    return { ...dashes, start: next + 1, rescues: [...rescues, ...rescued('header-opening')] }
  }
  const behind = /^---+[ \t]*([^-\s].*)$/s.exec(said)?.[1]
  if (behind !== undefined) {
    if (isKnownKeyLine(behind))
      return { ...dashes, start: at, first: behind, rescues: rescued('header-opening') }
    if (/^(?:#.*|ya?ml)$/i.test(behind))
      return { ...dashes, start: at + 1, rescues: rescued('header-opening') }
    const language = /^---+(\w+)/.exec(said)?.[1]
    return language === undefined ? { kind: 'no-header' } : { kind: 'language', line: at + 1, language }
  }
  if (/^(?:[-–—]+|_{3,}|\*{3,}|={3,}|\+{3,})$/.test(said) && isKnownKeyLine(texts[next]))
    return { ...dashes, start: at + 1, mark: said, rescues: rescued('header-opening') }
  if (!isKnownKeyLine(line)) return { kind: 'no-header' }
  return { kind: 'opened', start: at, indent, rescues: rescued('header-unopened') }
}

/** Without dashes before it, a header is everything up to the dashes after it, or two consecutive keys. */
function isHeaderAt(texts: readonly string[], start: number): boolean {
  const close = texts.findIndex((line, index) => index > start && line.trim() === '---')
  if (close !== -1 && !texts.slice(start, close).some((line) => heading.test(line))) return true
  const end = texts.findIndex((line, index) => index > start && isBlank(line))
  return texts.slice(start, end === -1 ? undefined : end).filter(isKnownKeyLine).length >= 2
}

function hasAgentKeys(header: readonly string[]): boolean {
  const first = header.find((line) => !isBlank(line) && !isComment(line))
  return first !== undefined && keyLineOf(first) !== undefined && header.some(isKnownKeyLine)
}

function findLoneReturns(lines: readonly Line[]): HeaderRepair[] {
  const at = lines.findIndex(({ end }) => end === '\r')
  return at === -1 ? [] : [{ code: 'line-ends', line: at + 1 }]
}
