import { cleanText } from '../../output/clean-text.ts'

/** Pasted texts beyond this are shown by their size only: they would take the whole screen. */
const longest = 1000
const mostLines = 8

/** Long pasted texts, each with the words that stand for it in the editor. */
export class Pasted {
  readonly #texts = new Map<string, string>()

  /** What to put into the editor for it. */
  show(text: string): string {
    const clean = cleanTyped(text)
    const lines = clean.split('\n').length
    if (clean.length <= longest && lines <= mostLines) return clean
    const size = lines === 1 ? `${clean.length} characters` : `${lines} lines`
    const words = `[pasted ${this.#texts.size + 1}: ${size}]`
    this.#texts.set(words, clean)
    return words
  }

  /** The text with every pasted text in its place. One that the person does not see is a message: it starts no command. */
  putBack(text: string): string {
    const start = text.length - text.trimStart().length
    // In one pass: words inside a pasted text stand for nothing.
    return text.replace(/\[pasted \d+: \d+ (?:lines|characters)\]/g, (words, at: number) => {
      const pasted = this.#texts.get(words)
      if (pasted === undefined) return words
      return at === start ? asMessage(pasted) : pasted
    })
  }
}

/** As a person writes a message that begins like a command. */
function asMessage(text: string): string {
  const start = text.trimStart()
  if (start.startsWith('/')) return `/${start}`
  return /^[!@]/.test(start) ? `\\${start}` : text
}

/** Tabs stay: they mean something in what people paste. */
export function cleanTyped(text: string): string {
  return text.replace(/\r\n?/g, '\n').split('\t').map(cleanText).join('\t')
}
