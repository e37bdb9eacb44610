/**
 * How many columns a text takes in a terminal, and cutting it to a number of columns. Widths are those that terminals
 * agree on: wide for East Asian characters and emoji, none for marks that sit on the character before.
 */
let segmenter: Intl.Segmenter | undefined
const ascii = /^[\x20-\x7e]*$/
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])|\ufe0f/u
const invisible = /^[\p{Mn}\p{Me}\u200b-\u200d]+$/u

export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment)
  return width
}

/** The beginning of the text that fits into `columns`, with an ellipsis where something was cut off. */
export function cutText(text: string, columns: number): string {
  if (columns <= 0) return ''
  if (ascii.test(text)) return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`
  let width = 0
  let kept = ''
  let shorter = ''
  for (const { segment } of graphemes(text)) {
    width += graphemeWidth(segment)
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

function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && grapheme.charCodeAt(0) < 0x300) return 1
  if (invisible.test(grapheme)) return 0
  return wide.test(grapheme) ? 2 : 1
}

/** Made when it is needed: making one takes longer than many a command. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}
