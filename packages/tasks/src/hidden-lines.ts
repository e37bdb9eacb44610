import { isBlank, type Line, widthOf } from '@cadre/disk'

/** A closing delimiter that is indented deeper does not close, as in Markdown: it may be part of a field's block. */
const maxEndIndent = (floor: number, width: number) => Math.max(floor === -1 ? 3 : floor + 5, width)
const fence = /^[ \t]*(?:(`{3,})[^`]*|(~{3,})[^\n]*)$/
const fenceEnd = /^[ \t]*(`{3,}|~{3,})[ \t]*$/
const comment = /^[ \t]*<!--/

/** Undefined for a line that opens nothing. `unclosed`: the fence or comment has no end, so it hides nothing. */
export type HiddenLine = { readonly last: number } | { readonly unclosed: 'fence' | 'comment' } | undefined

/**
 * Finds fenced code and multi-line comments, which contain no tasks. Each ends at the latest where the enclosing task ends, so that a
 * forgotten delimiter never hides other tasks.
 *
 * The returned function checks a line. `floor`: the indentation of the enclosing task, or -1. Failed searches for an end are cached, so a
 * file full of opening delimiters is not slower.
 */
export function findHiddenLines(lines: readonly Line[]): (index: number, floor: number) => HiddenLine {
  const failed = new Map<
    string,
    { readonly size: number; readonly maxIndent: number; readonly until: number }
  >()
  return (index, floor) => {
    const text = lines[index]?.text ?? ''
    const opening = openingOf(text)
    if (opening === undefined) return undefined
    const { sign, size } = opening
    const maxIndent = maxEndIndent(floor, widthOf(text))
    const known = failed.get(sign)
    const unclosed = { unclosed: sign === '<' ? ('comment' as const) : ('fence' as const) }
    if (known && index < known.until && size >= known.size && maxIndent <= known.maxIndent) return unclosed
    for (let at = index + 1; ; at++) {
      const line = lines[at]?.text
      const depth = line === undefined ? -1 : widthOf(line)
      if (line === undefined || (depth <= floor && !isBlank(line))) {
        failed.set(sign, { size, maxIndent, until: at })
        return unclosed
      }
      if (depth <= maxIndent && isEnd(line, opening)) return { last: at }
    }
  }
}

interface Opening {
  readonly sign: '`' | '~' | '<'
  readonly size: number
}

function openingOf(text: string): Opening | undefined {
  const [, ticks, waves] = fence.exec(text) ?? []
  if (ticks !== undefined) return { sign: '`', size: ticks.length }
  if (waves !== undefined) return { sign: '~', size: waves.length }
  return comment.test(text) && !text.includes('-->') ? { sign: '<', size: 1 } : undefined
}

function isEnd(text: string, { sign, size }: Opening): boolean {
  if (sign === '<') return text.includes('-->')
  const found = fenceEnd.exec(text)?.[1]
  return found !== undefined && found[0] === sign && found.length >= size
}
