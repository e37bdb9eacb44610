import { isBlank, isComment, keyLineOf } from './key-line.ts'
import { isAgentKey, restrictionOf } from './known-keys.ts'
import type { Unseen } from './unseen.ts'

/**
 * Where restrictions are looked for that stand in the text of a file. `start`: right behind the header, where a line of dashes may have come between its keys.
 * `text`: where the header was not where it should be, and more of it may be further down; code blocks show the keys of
 * other files and do not count. `everywhere`: where the header has no beginning or no end. `headerless`: where none was found;
 * there sentences begin with large letters, and keys with small ones.
 */
export type BodyPart = 'start' | 'text' | 'everywhere' | 'headerless'

/** Keys that hardly ever begin a line of anything but a header. */
const clear = new Set(
  `tools allowedtools disallowedtools permission permissions agents subagents maxturns userinvocable userinvokable
  disablemodelinvocation cadrewrites cadrecommands`.split(/\s+/),
)

/** Restrictions that stand in the text of a file as if it were its header. */
export function findBodyKeys(text: string, firstLine: number, where: BodyPart): Unseen[] {
  const isStart = where === 'start'
  if (isStart && !/^(?:---\s*|(?:[ \t]*#.*[\r\n]+)*)[ \t]*["'“]?[A-Za-z]/.test(text.slice(0, 2_000)))
    return []
  const lines = text.split(/\r\n|\n|\r/)
  const end = isStart ? endOfKeys(lines) : lines.length
  const isShown = where === 'text' ? shownIn(lines) : () => false
  return lines.slice(0, end).flatMap((line, index) => {
    const key = isShown(index) ? '' : keyIn(line, where)
    const restricts = clear.has(key) ? restrictionOf(key) : undefined
    return restricts === undefined ? [] : [{ key, restricts, line: firstLine + index }]
  })
}

/** Two keys of an agent near the beginning of a text, where no header was found: it is there, in some shape. */
export function findKeys(text: string, firstLine: number): { readonly key: string; readonly line: number }[] {
  const found = new Map<string, number>()
  for (const [index, line] of text.split(/\r\n|\n|\r/, 40).entries()) {
    const key = keyIn(line, 'headerless')
    if (isAgentKey(key) && !found.has(key)) found.set(key, firstLine + index)
  }
  return found.size < 2 ? [] : [...found].map(([key, line]) => ({ key, line }))
}

function keyIn(line: string, where: BodyPart): string {
  // Signs of quotation and of Markdown, but not those of a list: in a sentence they stand before any word.
  const isAnywhere = where === 'everywhere' || where === 'headerless'
  const key = keyLineOf(isAnywhere ? line.replace(/^(?:[^\w#-]|-(?! )){1,20}/, '') : line)
  return key === undefined || (where === 'headerless' && /^[A-Z]/.test(key.written)) ? '' : key.plain
}

/** Keys at the very beginning, to the dashes behind them, or to where they stop without any. */
function endOfKeys(lines: readonly string[]): number {
  const isOpened = lines[0]?.trim() === '---'
  const first = isOpened ? 1 : lines.findIndex((line) => !isComment(line))
  if (keyLineOf(lines[first] ?? '') === undefined) return 0
  const dashes = lines.findIndex((line, index) => index > first && line.trim() === '---')
  const stop = lines.findIndex(
    (line, index) => index > first && (isBlank(line) || keyLineOf(line) === undefined),
  )
  if (isOpened || first === 0) return dashes === -1 ? stop : dashes
  // Further down a text may begin like this, and end with a rule.
  return dashes !== -1 && lines.slice(first, dashes).every(isOfHeader) ? dashes : 0
}

function isOfHeader(line: string): boolean {
  return isBlank(line) || isComment(line) || /^(?:[ \t]|- )/.test(line) || keyLineOf(line) !== undefined
}

/** Which lines are in code blocks. A block that is never closed is none. */
function shownIn(lines: readonly string[]): (index: number) => boolean {
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
