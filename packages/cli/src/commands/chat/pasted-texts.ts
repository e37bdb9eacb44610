import { cleanText } from '../../output/clean-text.ts'

/** Longer pasted texts are shown only by their size, because they would fill the screen. */
const maxLength = 1000
const maxLines = 8

/** Long pasted texts, each with its placeholder in the editor. */
export class PastedTexts {
  readonly #texts = new Map<string, string>()

  /** Returns the placeholder for the editor. */
  show(text: string): string {
    const clean = cleanTypedText(text)
    const lines = clean.split('\n').length
    if (clean.length <= maxLength && lines <= maxLines) return clean
    const size = lines === 1 ? `${clean.length} characters` : `${lines} lines`
    const words = `[pasted ${this.#texts.size + 1}: ${size}]`
    this.#texts.set(words, clean)
    return words
  }

  /** Replaces placeholders with the pasted texts. A text that the person does not see is a message, never a command. */
  putBack(text: string): string {
    const start = text.length - text.trimStart().length
    // In one pass, so that placeholders inside a pasted text are not replaced.
    return text.replace(/\[pasted \d+: \d+ (?:lines|characters)\]/g, (words, at: number) => {
      const pasted = this.#texts.get(words)
      if (pasted === undefined) return words
      return at === start ? asMessage(pasted) : pasted
    })
  }
}

/** Escapes a message that starts like a command. */
function asMessage(text: string): string {
  const start = text.trimStart()
  if (start.startsWith('/')) return `/${start}`
  return /^[!@]/.test(start) ? `\\${start}` : text
}

/** Keeps tabs, which are meaningful in pasted text. */
export function cleanTypedText(text: string): string {
  return text.replace(/\r\n?/g, '\n').split('\t').map(cleanText).join('\t')
}
