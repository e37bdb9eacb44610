/** How many columns a text takes in a terminal, and cutting it to a number of columns. */
import stringWidth from 'string-width'

let segmenter: Intl.Segmenter | undefined
const ascii = /^[\x20-\x7e]*$/
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length
  return stringWidth(text)
}

/** The beginning of the text that fits into `columns`, with an ellipsis where something was cut off. */
export function cutText(text: string, columns: number): string {
  if (columns <= 0) return ''
  if (ascii.test(text)) return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`
  let width = 0
  let kept = ''
  let shorter = ''
  for (const { segment } of graphemes(text)) {
    width += stringWidth(segment)
    if (width > columns) return `${shorter}…`
    kept += segment
    if (width <= columns - 1) shorter = kept
  }
  return kept
}

/** Cut or padded to exactly `columns`. */
export function fitText(text: string, columns: number): string {
  const cut = cutText(text, columns)
  return cut + ' '.repeat(Math.max(0, columns - textWidth(cut)))
}

/** What a person sees as one character each. */
export function graphemesOf(text: string): string[] {
  return ascii.test(text) ? [...text] : [...graphemes(text)].map(({ segment }) => segment)
}

/** Made when it is needed: making one takes longer than many a command. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}
