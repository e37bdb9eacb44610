/** Measures the width of text in a terminal, and cuts text to a width. */
import stringWidth from 'string-width'

let segmenter: Intl.Segmenter | undefined
const ascii = /^[\x20-\x7e]*$/
/** Characters of one code unit and one column: European letters, punctuation, arrows, and Cadre's symbols. */
const narrow =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0386-\u0481\u048a-\u052f\u2010-\u2015\u2018-\u2022\u2026\u2190-\u2193\u2500-\u257f\u2713\u2717\u2800-\u28ff]*$/
const known = new Map<string, number>()
const maxCached = 5_000

export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length
  if (text.length > 20) return stringWidth(text)
  // Words and characters repeat, and measuring is slow.
  const before = known.get(text)
  if (before !== undefined) return before
  const width = stringWidth(text)
  if (known.size >= maxCached) known.clear()
  known.set(text, width)
  return width
}

/** Returns the start of the text that fits into `columns`, with an ellipsis if it was cut. */
export function truncateText(text: string, columns: number): string {
  if (columns <= 0) return ''
  if (ascii.test(text)) return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`
  let width = 0
  let kept = ''
  let shorter = ''
  for (const { segment } of graphemes(text)) {
    width += textWidth(segment)
    if (width > columns) return `${shorter}…`
    kept += segment
    if (width <= columns - 1) shorter = kept
  }
  return kept
}

/** Cut or padded to exactly `columns`. */
export function fitText(text: string, columns: number): string {
  const cut = truncateText(text, columns)
  return cut + ' '.repeat(Math.max(0, columns - textWidth(cut)))
}

/** Splits text into what people see as characters. */
export function graphemesOf(text: string): string[] {
  return ascii.test(text) ? [...text] : [...graphemes(text)].map(({ segment }) => segment)
}

/** Created on first use, because that takes longer than many commands. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}
