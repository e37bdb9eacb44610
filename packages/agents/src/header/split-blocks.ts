import { indentOf, isBlank, isComment, type KeyLine, keyLineOf } from './key-line.ts'
import { isKnownKey, isProseKey, restrictionOf } from './known-keys.ts'

/** Lines of a header that belong together: a key and its value, or lines without a key. */
export interface HeaderBlock {
  readonly key?: KeyLine
  /** The line number of its first line. */
  readonly line: number
  readonly lines: readonly string[]
}

interface Open {
  readonly key?: KeyLine
  readonly line: number
  readonly lines: string[]
}

/**
 * Splits a header that is not YAML into the values of its keys. A line starts a new value only if its key is known to some
 * dialect, or if the value above cannot continue: descriptions contain many lines that only look like keys.
 */
export function splitBlocks(lines: readonly string[], firstLine: number): HeaderBlock[] {
  const atMargin = new Set(
    lines.flatMap((line) => {
      const key = keyLineOf(line)
      return key === undefined || key.indent !== '' ? [] : [key.plain]
    }),
  )
  const blocks: Open[] = []
  for (const [index, text] of lines.entries()) {
    const current = blocks.at(-1)
    const key = keyLineOf(text)
    if (key !== undefined && beginsBlock(key, current, atMargin))
      blocks.push({ key, line: firstLine + index, lines: [text] })
    else if (current === undefined || isDocumentEnd(text))
      blocks.push({ line: firstLine + index, lines: [text] })
    else current.lines.push(text)
  }
  return blocks.flatMap(splitTail)
}

function beginsBlock(key: KeyLine, current: Open | undefined, atMargin: ReadonlySet<string>): boolean {
  const above = current?.key
  if (above === undefined) return true
  const value = above.rest.trim()
  if (key.indent.length > above.indent.length) {
    // Below a key without a value, and inside brackets or a block scalar, it is part of the value.
    if (value === '' || /^[#[{|>]/.test(value)) return false
    if (!isProseKey(above.plain)) return isKnownKey(key.plain)
    return restrictionOf(key.plain) !== undefined && !atMargin.has(key.plain)
  }
  if (isKnownKey(key.plain)) return true
  if (!isProseKey(above.plain) || isClosed(value)) return true
  // `kb_domains:` is a custom key; `user:` and `Context:` are parts of an example.
  return /[a-z0-9][_-][a-z0-9]|[a-z][A-Z]/.test(key.written)
}

/** YAML ends here, whatever follows. */
function isDocumentEnd(line: string): boolean {
  return line.trimEnd() === '...'
}

/** Quoted from start to end: the value cannot continue. */
function isClosed(value: string): boolean {
  return /^"(?:[^"\\]|\\.)*"$|^'(?:[^']|'')*'$/.test(value)
}

/** Lines after the last line of a value are not part of it and stay in place. */
function splitTail({ key, line, lines }: Open): HeaderBlock[] {
  if (key === undefined) return [{ line, lines }]
  let end = lines.length
  while (end > 1 && isTail(lines[end - 1] as string)) end--
  const block: HeaderBlock = { key, line, lines: lines.slice(0, end) }
  return end === lines.length ? [block] : [block, { line: line + end, lines: lines.slice(end) }]
}

function isTail(line: string): boolean {
  return isBlank(line) || (isComment(line) && indentOf(line) === '')
}
