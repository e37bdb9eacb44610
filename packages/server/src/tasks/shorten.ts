const control = /[^\P{Cc}\n\t]|[\p{Cs}\u2028\u2029]/gu

/** Shortens a model's text for lists, and removes invisible characters. */
export function shortenText(text: string, max: number, lines: number): string {
  const clean = text.replace(/\r\n?/g, '\n').replace(control, '').trim()
  const kept = clean.split('\n').slice(0, lines).join('\n')
  const cut = kept.length > max ? withoutHalf(kept.slice(0, max)) : kept
  return cut === clean ? clean : `${cut.trimEnd()} …`
}

/** Like `shorten`, on one line. */
export function shortenLine(text: string, max: number): string {
  return shortenText(text.replace(/\s+/g, ' '), max, 1)
}

function withoutHalf(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '')
}
