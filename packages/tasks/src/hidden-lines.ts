import { isBlank, type Line, widthOf } from '@cadre/disk'

/** A closing sign that is indented deeper than this belongs to something else, as in Markdown: to a block of a field, say. */
const deepestEnd = (floor: number, width: number) => Math.max(floor === -1 ? 3 : floor + 5, width)
const fence = /^[ \t]*(?:(`{3,})[^`]*|(~{3,})[^\n]*)$/
const fenceEnd = /^[ \t]*(`{3,}|~{3,})[ \t]*$/
const comment = /^[ \t]*<!--/

/** Of a line that opens nothing: nothing. `unclosed` where what it opens has no end: then it hides nothing. */
export type Hidden = { readonly last: number } | { readonly unclosed: 'fence' | 'comment' } | undefined

/**
 * Finds what is written down and not meant: code between fences, and comments of several lines. Each ends at the latest where
 * what it stands in ends, so that a sign somebody forgot never hides what others have written.
 *
 * The returned function looks from one line on; `floor` is the indentation of the task it stands in, -1 outside of any. A look
 * that found no end is remembered: a file full of opening signs takes no longer than another.
 */
export function findHidden(lines: readonly Line[]): (index: number, floor: number) => Hidden {
  const failed = new Map<
    string,
    { readonly size: number; readonly deepest: number; readonly until: number }
  >()
  return (index, floor) => {
    const text = lines[index]?.text ?? ''
    const opening = openingOf(text)
    if (opening === undefined) return undefined
    const { sign, size } = opening
    const deepest = deepestEnd(floor, widthOf(text))
    const known = failed.get(sign)
    const unclosed = { unclosed: sign === '<' ? ('comment' as const) : ('fence' as const) }
    if (known && index < known.until && size >= known.size && deepest <= known.deepest) return unclosed
    for (let at = index + 1; ; at++) {
      const line = lines[at]?.text
      const depth = line === undefined ? -1 : widthOf(line)
      if (line === undefined || (depth <= floor && !isBlank(line))) {
        failed.set(sign, { size, deepest, until: at })
        return unclosed
      }
      if (depth <= deepest && isEnd(line, opening)) return { last: at }
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
