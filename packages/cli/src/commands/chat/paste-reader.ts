/** What came from the terminal: keys, or a text that was pasted as a whole. */
export type TerminalInput =
  | { readonly kind: 'keys'; readonly text: string }
  | { readonly kind: 'paste'; readonly text: string }

const start = '\x1b[200~'
const end = '\x1b[201~'

/**
 * Takes pasted texts out of what a terminal in bracketed-paste mode sends. Marks may be cut anywhere between two pieces; only
 * a lone escape at the end of a piece is passed on at once, since that is a key of its own.
 */
export function createPasteReader(): (piece: string) => TerminalInput[] {
  let held = ''
  let pasting = false
  return (piece) => {
    const found: TerminalInput[] = []
    let text = held + piece
    held = ''
    for (;;) {
      const mark = pasting ? end : start
      const at = text.indexOf(mark)
      if (at < 0) break
      if (pasting || at > 0) found.push({ kind: pasting ? 'paste' : 'keys', text: text.slice(0, at) })
      text = text.slice(at + mark.length)
      pasting = !pasting
    }
    if (pasting) held = text
    else {
      const kept = beginningAtEnd(text)
      held = text.slice(text.length - kept)
      const keys = text.slice(0, text.length - kept)
      if (keys !== '') found.push({ kind: 'keys', text: keys })
    }
    return found
  }
}

/** How many characters at the end could be the beginning of a start mark. */
function beginningAtEnd(text: string): number {
  for (let length = start.length - 1; length >= 2; length--)
    if (text.endsWith(start.slice(0, length))) return length
  return 0
}
