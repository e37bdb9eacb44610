import { isPlain } from '@cadre/disk'

/** `undefined` is never a value of a journal, so it can say: this is not in the form we write. */
export type Value = string | number | boolean | null | object

/**
 * Reads the values of a journal in exactly the form in which they are written, and nothing else: whatever a person
 * wrote differently is `undefined` here, and left to a complete YAML parser. That is what makes it fast.
 */
export class TextCursor {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  /** The end of the line at `at`; of the text when it is the last one. */
  lineEnd(): number {
    const end = this.text.indexOf('\n', this.at)
    return end < 0 ? this.text.length : end
  }

  /** Passes this very line and its end. */
  skipLine(line: string): boolean {
    if (!this.text.startsWith(line, this.at)) return false
    const end = this.at + line.length
    if (end < this.text.length && this.text.charCodeAt(end) !== 10) return false
    this.at = end + 1
    return true
  }

  /** The value from `start` to the end of its line, or of its block; `at` is then the beginning of the next line. */
  value(start: number, pad: string): Value | undefined {
    const { text } = this
    this.at = start
    const end = this.lineEnd()
    this.at = end + 1
    switch (text.charCodeAt(start)) {
      case 39:
        return singleQuoted(text, start, end)
      case 34:
      case 91:
      case 123:
        return parsed(text.slice(start, end))
      case 124:
        return this.block(text.slice(start, end), pad)
      default: {
        const source = text.slice(start, end)
        return source === 'null' ? null : isPlain(source) ? source : word(source)
      }
    }
  }

  /** A value that has to be a string. */
  string(start: number, pad: string): string | undefined {
    const value = this.value(start, pad)
    return typeof value === 'string' ? value : undefined
  }

  private block(header: string, pad: string): string | undefined {
    const indicated = header.charCodeAt(1) === 50
    const chomping = header.slice(indicated ? 2 : 1)
    if (chomping !== '' && chomping !== '-' && chomping !== '+') return undefined
    const { text } = this
    const start = this.at
    let end = start
    let blank = false
    while (end < text.length) {
      if (text.charCodeAt(end) === 10) {
        blank = true
        end++
      } else if (text.startsWith(pad, end)) {
        const lineEnd = text.indexOf('\n', end)
        if (lineEnd < 0) return undefined
        blank = false
        end = lineEnd + 1
      } else break
    }
    if (end === start || (blank && chomping !== '+')) return undefined
    this.at = end
    const body = text.slice(text.charCodeAt(start) === 10 ? start : start + pad.length, end)
    const first = body.charCodeAt(0)
    // Without an indicator a parser finds the indentation itself, and not as we would.
    if (!indicated && (first === 32 || first === 10)) return undefined
    const content = body.replaceAll(`\n${pad}`, '\n')
    return chomping === '-' ? content.slice(0, -1) : content
  }
}

function singleQuoted(text: string, start: number, end: number): string | undefined {
  if (end - start < 2 || text.charCodeAt(end - 1) !== 39) return undefined
  const inner = text.slice(start + 1, end - 1)
  if (!inner.includes("'")) return inner
  return inner.replaceAll("''", '').includes("'") ? undefined : inner.replaceAll("''", "'")
}

function parsed(source: string): Value | undefined {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

function word(source: string): Value | undefined {
  if (source === 'true') return true
  if (source === 'false') return false
  const number = Number(source)
  return source !== '' && String(number) === source && Number.isFinite(number) ? number : undefined
}
