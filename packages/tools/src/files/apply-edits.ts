import { nearestLines } from './nearest-lines.ts'
import { convertLineEndings, lineEndOf } from './text.ts'

export interface Edit {
  readonly old: string
  readonly new: string
  /** Replace every occurrence instead of exactly one. */
  readonly all?: boolean | undefined
}

export type EditedText =
  | { readonly kind: 'edited'; readonly text: string; readonly lines: readonly number[] }
  /** Formatted only when it is needed. */
  | { readonly kind: 'failed'; readonly reason: () => string }

/** Applies edits one after the other, each to the result of the previous one: all or none. */
export function applyEdits(text: string, edits: readonly Edit[], shown: string): EditedText {
  let current = text
  let lines: readonly number[] = []
  for (const [index, edit] of edits.entries()) {
    const result = applyEdit(current, edit, shown)
    if (result.kind === 'failed') {
      if (edits.length === 1) return result
      return {
        kind: 'failed',
        reason: () => `Edit ${index + 1} of ${edits.length} failed, so no edit was made. ${result.reason()}`,
      }
    }
    current = result.text
    lines = lines.concat(result.lines)
  }
  return { kind: 'edited', text: current, lines }
}

function applyEdit(text: string, edit: Edit, shown: string): EditedText {
  if (edit.old === edit.new)
    return failed(() => `old and new are the same, so nothing would change in ${shown}.`)
  if (edit.old === '') {
    if (text === '') return { kind: 'edited', text: edit.new, lines: [1] }
    return failed(
      () =>
        `old is empty, but ${shown} is not. Give the text to replace, or use write_file to replace the whole file.`,
    )
  }
  const { old, new: replacement } = matchLineEndings(text, edit)
  const places = placesOf(text, old)
  if (places.length === 0) {
    return failed(
      () =>
        `old was not found in ${shown}. It must match exactly, including spaces. ${nearestLines(text, edit.old)}`,
    )
  }
  const lines = linesOf(text, places)
  // Overlapping matches, such as `aa` in `aaa`, are ambiguous too.
  const several = text.indexOf(old, (places[0] as number) + 1) !== -1
  if (several && edit.all !== true) {
    return failed(
      () =>
        `old was found ${places.length} times in ${shown}, at lines ${listOf(lines)}. Include more of the surrounding text, or set all to true.`,
    )
  }
  return { kind: 'edited', text: text.split(old).join(replacement), lines }
}

/** Models write `\n` whatever the file uses, so an edit is converted to the line endings of the file. */
export function matchLineEndings(text: string, edit: Edit): { readonly old: string; readonly new: string } {
  const usual = lineEndOf(text)
  const other = usual === '\n' ? '\r\n' : '\n'
  const old = [convertLineEndings(edit.old, usual), edit.old, convertLineEndings(edit.old, other)].find(
    (form) => text.includes(form),
  )
  if (old === undefined) return { old: edit.old, new: edit.new }
  const lineEnd = old.includes('\n') ? lineEndOf(old) : usual
  return { old, new: text.includes('\n') ? convertLineEndings(edit.new, lineEnd) : edit.new }
}

/** Returns the positions of `part` in `text`, without overlaps. */
export function placesOf(text: string, part: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) places.push(at)
  return places
}

function linesOf(text: string, places: readonly number[]): number[] {
  let line = 1
  let at = 0
  return places.map((place) => {
    for (let next = text.indexOf('\n', at); next !== -1 && next < place; next = text.indexOf('\n', at)) {
      line++
      at = next + 1
    }
    return line
  })
}

function listOf(lines: readonly number[]): string {
  const distinct = [...new Set(lines)]
  return distinct.length > 10 ? `${distinct.slice(0, 10).join(', ')}, …` : distinct.join(', ')
}

function failed(reason: () => string): EditedText {
  return { kind: 'failed', reason }
}
