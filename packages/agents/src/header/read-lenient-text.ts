import { indentOf, isBlank } from './key-line.ts'

/** Returns the intended value of a key that is invalid YAML: its text, joined as YAML would join its lines. */
export function readLenientText(rest: string, further: readonly string[]): string {
  const first = rest.trim()
  const block = /^([|>])[-+\d]{0,2}(?:\s+#.*)?$/.exec(first)
  if (block !== null) {
    const lines = dedent(further)
    return (block[1] === '|' ? lines.join('\n') : foldLines(lines)).trim()
  }
  return unquote(foldLines([first, ...further]))
}

/** Joins lines into one; an empty line becomes a line break. */
function foldLines(lines: readonly string[]): string {
  let text = ''
  let breaks = 0
  for (const line of lines) {
    const part = line.trim()
    if (part === '') breaks++
    else {
      text += text === '' ? part : breaks > 0 ? '\n'.repeat(breaks) + part : ` ${part}`
      breaks = 0
    }
  }
  return text
}

function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => !isBlank(line)).map((line) => indentOf(line).length)
  const min = indents.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  return lines.map((line) => line.slice(min).trimEnd())
}

const pairs: { readonly [open: string]: string } = { "'": "'", '"': '"', '“': '”', '‘': '’' }

/** Removes quotes around the whole text. Quotes around a part of it stay. */
function unquote(text: string): string {
  const open = text[0] ?? ''
  const close = Object.hasOwn(pairs, open) ? pairs[open] : undefined
  if (close !== undefined) {
    const isAround = text.length > 1 && text.endsWith(close)
    const inner = text.slice(1, isAround ? -1 : undefined)
    if (isAround ? !endsWithin(inner, close) : !inner.includes(close)) return unescapeText(inner.trim(), open)
  } else if (/["']$/.test(text) && text.indexOf(text.at(-1) as string) === text.length - 1) {
    return text.slice(0, -1).trimEnd()
  }
  return text
}

/** An apostrophe ends nothing, but a quote next to a space does. */
function endsWithin(text: string, quote: string): boolean {
  for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text[at + 1] ?? ' '
    if (
      before !== '\\' &&
      before !== quote &&
      after !== quote &&
      (/\s/.test(before) || /[\s.,;:!?)]/.test(after))
    )
      return true
  }
  return false
}

function unescapeText(text: string, quote: string): string {
  if (quote === "'") return text.replaceAll("''", "'")
  if (quote !== '"') return text
  return text.replaceAll(/\\(["\\/nt])/g, (_, sign: string) =>
    sign === 'n' ? '\n' : sign === 't' ? '\t' : sign,
  )
}
