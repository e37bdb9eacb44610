/** A piece of text: shown unchanged, or an escape for a character that a person would not see. */
export interface ShownPart {
  readonly text: string
  readonly isEscape: boolean
}

/**
 * Shows characters that could hide a part of what a person approves: control characters, line ends other than a newline,
 * zero-width characters, characters that change the text direction, unusual spaces, and lone surrogates. Newlines, tabs and spaces do not change.
 */
export function showHidden(text: string): readonly ShownPart[] {
  const parts: ShownPart[] = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(hidden)) {
    if (index > end) parts.push({ text: text.slice(end, index), isEscape: false })
    parts.push({ text: escaped(found), isEscape: true })
    end = index + found.length
  }
  if (end < text.length) parts.push({ text: text.slice(end), isEscape: false })
  return parts
}

/** The same in one string, for a line in a list. */
export function visibleLine(text: string): string {
  return showHidden(text.replace(/\s+/g, ' '))
    .map((part) => part.text)
    .join('')
}

// With the flag u, a lone surrogate is a separate character, and half of a pair is not.
const hidden =
  /(?![\n\t ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Cn}\p{Cs}\u2800]|\p{Default_Ignorable_Code_Point}/gu

function escaped(character: string): string {
  const point = character.codePointAt(0) ?? 0
  const hex = point.toString(16)
  if (point <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return point <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
}
