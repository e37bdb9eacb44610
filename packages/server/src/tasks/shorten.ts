const control = /[^\P{Cc}\n\t]|[\p{Cs}\u2028\u2029]/gu

/** Text of a model, cut to what people still read in a list, and without signs that no editor shows. */
export function shorten(text: string, most: number, lines: number): string {
  const clean = text.replace(/\r\n?/g, '\n').replace(control, '').trim()
  const kept = clean.split('\n').slice(0, lines).join('\n')
  const cut = kept.length > most ? withoutHalf(kept.slice(0, most)) : kept
  return cut === clean ? clean : `${cut.trimEnd()} …`
}

/** The same on one line. */
export function shortenLine(text: string, most: number): string {
  return shorten(text.replace(/\s+/g, ' '), most, 1)
}

function withoutHalf(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '')
}
