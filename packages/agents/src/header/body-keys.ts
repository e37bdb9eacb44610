import type { UnreadRestriction } from './find-unread-restrictions.ts'
import { isBlank, isComment, keyLineOf } from './key-line.ts'
import { isAgentKey, restrictionOf } from './known-keys.ts'

/**
 * Where to search the text of a file for restrictions. `start`: right after the header, where a line of dashes may have
 * split its keys. `text`: if the header was misplaced, so that more of it may follow; code blocks show keys of other files
 * and are skipped. `everywhere`: if the header has no start or no end. `headerless`: if none was found; there, capitalised
 * words start sentences and lower-case words are keys.
 */
export type BodyPart = 'start' | 'text' | 'everywhere' | 'headerless'

/** Keys that rarely start a line outside a header. */
const unambiguousKeys = new Set(
  `tools allowedtools disallowedtools permission permissions agents subagents maxturns userinvocable userinvokable
  disablemodelinvocation cadrewrites cadrecommands`.split(/\s+/),
)

/** Finds restrictions in the text of a file that look like keys of its header. */
export function findBodyKeys(text: string, firstLine: number, where: BodyPart): UnreadRestriction[] {
  const isStart = where === 'start'
  if (isStart && !/^(?:---\s*|(?:[ \t]*#.*[\r\n]+)*)[ \t]*["'“]?[A-Za-z]/.test(text.slice(0, 2_000)))
    return []
  const lines = text.split(/\r\n|\n|\r/)
  const end = isStart ? endOfKeys(lines) : lines.length
  const isShown = where === 'text' ? findCodeLines(lines) : () => false
  return lines.slice(0, end).flatMap((line, index) => {
    const key = isShown(index) ? '' : findKeyIn(line, where)
    const restricts = unambiguousKeys.has(key) ? restrictionOf(key) : undefined
    return restricts === undefined ? [] : [{ key, restricts, line: firstLine + index }]
  })
}

/** Finds two keys of an agent near the start of a text without a recognised header: then there is one in some form. */
export function findKeys(text: string, firstLine: number): { readonly key: string; readonly line: number }[] {
  const found = new Map<string, number>()
  for (const [index, line] of text.split(/\r\n|\n|\r/, 40).entries()) {
    const key = findKeyIn(line, 'headerless')
    if (isAgentKey(key) && !found.has(key)) found.set(key, firstLine + index)
  }
  return found.size < 2 ? [] : [...found].map(([key, line]) => ({ key, line }))
}

function findKeyIn(line: string, where: BodyPart): string {
  // Quotation and Markdown characters, but not list markers: in prose they can precede any word.
  const isAnywhere = where === 'everywhere' || where === 'headerless'
  const key = keyLineOf(isAnywhere ? line.replace(/^(?:[^\w#-]|-(?! )){1,20}/, '') : line)
  return key === undefined || (where === 'headerless' && /^[A-Z]/.test(key.written)) ? '' : key.plain
}

/** Returns the end of the keys at the very start: the dashes after them, or the last key. */
function endOfKeys(lines: readonly string[]): number {
  const isOpened = lines[0]?.trim() === '---'
  const first = isOpened ? 1 : lines.findIndex((line) => !isComment(line))
  if (keyLineOf(lines[first] ?? '') === undefined) return 0
  const dashes = lines.findIndex((line, index) => index > first && line.trim() === '---')
  const stop = lines.findIndex(
    (line, index) => index > first && (isBlank(line) || keyLineOf(line) === undefined),
  )
  if (isOpened || first === 0) return dashes === -1 ? stop : dashes
  // Further down, a text may start like this and end with a horizontal rule.
  return dashes !== -1 && lines.slice(first, dashes).every(isHeaderLine) ? dashes : 0
}

function isHeaderLine(line: string): boolean {
  return isBlank(line) || isComment(line) || /^(?:[ \t]|- )/.test(line) || keyLineOf(line) !== undefined
}

/** Returns which lines are in code blocks. An unclosed block does not count. */
function findCodeLines(lines: readonly string[]): (index: number) => boolean {
  const shown = new Set<number>()
  for (let at = 0; at < lines.length; at++) {
    const mark = markOf(lines[at] as string)
    if (mark === undefined) continue
    let end = at + 1
    while (end < lines.length && markOf(lines[end] as string)?.startsWith(mark) !== true) end++
    if (end === lines.length) break
    for (let line = at; line <= end; line++) shown.add(line)
    at = end
  }
  return (index) => shown.has(index)
}

function markOf(line: string): string | undefined {
  return /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
}
