/**
 * Characters that are invisible to a person, but not to a model: control characters, tag characters, and direction marks.
 * Joiners stay, because scripts and emoji need them.
 */
const invisibleCharacters =
  /(?![\n\t])\p{Cc}|[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

export interface PlainText {
  readonly text: string
  /** The number of invisible characters that were removed. */
  readonly hidden: number
}

/** Returns the text of a file as a person sees it, with `\n` line endings. */
export function plainText(raw: string): PlainText {
  const lines = raw.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const text = lines.replace(invisibleCharacters, '')
  return { text, hidden: lines.length - text.length }
}
