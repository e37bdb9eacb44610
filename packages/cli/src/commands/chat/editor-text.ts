import { cleanText } from '../../output/clean-text.ts'

const breaks = '␤'
const tab = '␉'
/** Pasted texts beyond this are shown by their size only: an editor of one line cannot show them. */
const longest = 1000
const mostLines = 8

/** A text as it stands in the one line of the editor: line breaks and tabs as signs, nothing that a terminal acts upon. */
export function toEditor(text: string): string {
  return cleanText(text.replace(/\r\n?/g, '\n').replaceAll('\t', tab)).replaceAll('\n', breaks)
}

export function fromEditor(line: string): string {
  return line.replaceAll(breaks, '\n').replaceAll(tab, '\t')
}

/** Long pasted texts, each with the words that stand for it in the editor. */
export class Pasted {
  private readonly texts = new Map<string, string>()

  /** What to put into the editor for it. */
  show(text: string): string {
    const clean = cleanText(text.replace(/\r\n?/g, '\n').replaceAll('\t', tab))
    const lines = clean.split('\n').length
    if (clean.length <= longest && lines <= mostLines) return clean.replaceAll('\n', breaks)
    const size = lines === 1 ? `${clean.length} characters` : `${lines} lines`
    const words = `[pasted ${this.texts.size + 1}: ${size}]`
    this.texts.set(words, clean)
    return words
  }

  /** The line with every pasted text in its place. */
  putBack(line: string): string {
    let whole = line
    for (const [words, text] of this.texts) whole = whole.replace(words, () => text)
    return whole
  }
}
