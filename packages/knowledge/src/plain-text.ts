/**
 * Characters that a person who reads a file does not see, and a model does: control characters, letters of the block for tags, marks
 * that turn the direction of text. Joiners stay: scripts and emoji need them.
 */
const unseen = /(?![\n\t])\p{Cc}|[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

export interface PlainText {
  readonly text: string
  /** How many characters were removed because nobody would see them. */
  readonly hidden: number
}

/** The text of a file as a person sees it, with `\n` at the end of lines. */
export function plainText(raw: string): PlainText {
  const lines = raw.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const text = lines.replace(unseen, '')
  return { text, hidden: lines.length - text.length }
}
