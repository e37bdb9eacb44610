/** Terminal input: keys, or a pasted text. */
export type TerminalInput =
  | { readonly kind: 'keys'; readonly text: string }
  | { readonly kind: 'paste'; readonly text: string }

const start = '\x1b[200~'
const end = '\x1b[201~'

/**
 * Extracts pasted texts from the input of a terminal in bracketed-paste mode. Markers may be split anywhere between two
 * pieces; only a lone escape at the end of a piece is passed on immediately, because it is a key.
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

/** Returns how many characters at the end could start a paste marker. */
function beginningAtEnd(text: string): number {
  for (let length = start.length - 1; length >= 2; length--)
    if (text.endsWith(start.slice(0, length))) return length
  return 0
}
