import { isPlain } from '@cadre/disk'

/** `undefined` is never a value in a journal, so it means: not in Cadre's format. */
export type JournalValue = string | number | boolean | null | object

/**
 * Reads values in exactly Cadre's format, which makes it fast. For anything else it returns `undefined`, and a complete YAML parser is
 * needed.
 */
export class TextCursor {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  /** The end of the line at `at`, or the end of the text. */
  lineEnd(): number {
    const end = this.text.indexOf('\n', this.at)
    return end < 0 ? this.text.length : end
  }

  /** Skips exactly this line and its line ending. */
  skipLine(line: string): boolean {
    if (!this.text.startsWith(line, this.at)) return false
    const end = this.at + line.length
    if (end < this.text.length && this.text.charCodeAt(end) !== 10) return false
    this.at = end + 1
    return true
  }

  /** Reads the value from `start` to the end of its line or block, and moves `at` to the next line. */
  value(start: number, pad: string): JournalValue | undefined {
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
        return parseQuoted(text.slice(start, end))
      case 124:
        return this.block(text.slice(start, end), pad)
      default: {
        const source = text.slice(start, end)
        return source === 'null' ? null : isPlain(source) ? source : word(source)
      }
    }
  }

  /** Reads a value that must be a string. */
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
    // Without an indentation indicator, a parser detects the indentation itself, with a different result.
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

function parseQuoted(source: string): JournalValue | undefined {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

function word(source: string): JournalValue | undefined {
  if (source === 'true') return true
  if (source === 'false') return false
  const number = Number(source)
  return source !== '' && String(number) === source && Number.isFinite(number) ? number : undefined
}
