/** A position in a header: a key, or a value of one. Offsets are within the line. */
export interface HeaderPosition {
  readonly kind: 'key' | 'value'
  /** The keys above it, outermost first; for a value, including its own key. */
  readonly path: readonly string[]
  readonly written: string
  readonly start: number
  readonly end: number
  /** The other keys of the same header or entry; the other values of the same list. */
  readonly present: readonly string[]
}

export interface HeaderPlace {
  readonly lines: readonly string[]
  /** Zero-based. */
  readonly line: number
  readonly character: number
  /** The whole file is the header. */
  readonly isYaml: boolean
}

/** Finds what is being typed in the header of an agent, complete or not. Undefined outside the header. */
export function positionInHeader({
  lines,
  line,
  character,
  isYaml,
}: HeaderPlace): HeaderPosition | undefined {
  const header = isYaml ? { first: 0, last: lines.length - 1 } : headerOf(lines)
  if (header === undefined || line < header.first || line > header.last) return undefined
  const text = lines[line] ?? ''
  const found = readLine(text)
  if (isComment(text, character)) return undefined
  const above = keysAbove(lines, line, header.first, found)
  if (found.key !== undefined && character > found.colon) {
    const path = [...above, found.key]
    return valueAt(text, found.colon + 1, character, path, valuesOf(lines, line, header, found))
  }
  const isEntry = above.length === 0 || above.at(-1) === 'handoffs'
  const before = text.slice(found.from, Math.max(found.from, character))
  if (
    isEntry &&
    character >= found.from &&
    /^[\w-]*$/.test(before) &&
    (found.isItem || isKeyPlace(found, above))
  )
    return keyAt(text, found.from, above, siblings(lines, line, header, above))
  if (above.length === 0 || character < found.from) return undefined
  return valueAt(text, found.from, character, above, valuesOf(lines, line, header, found))
}

/** A separate line below a list of plain values is one of these values, not a key. */
function isKeyPlace(found: ParsedLine, above: readonly string[]): boolean {
  return above.length === 0 ? found.from === 0 : true
}

/** The lines between the dashes, zero-based; up to the end if the second dashes are missing. */
function headerOf(lines: readonly string[]): { first: number; last: number } | undefined {
  if ((lines[0] ?? '').replace(/^\ufeff/, '').trimEnd() !== '---') return undefined
  const end = lines.findIndex((text, index) => index > 0 && text.trimEnd() === '---')
  return { first: 1, last: end === -1 ? lines.length - 1 : end - 1 }
}

interface ParsedLine {
  readonly indent: number
  readonly isItem: boolean
  /** The start of the text, after the dash of an item. */
  readonly from: number
  readonly key?: string
  readonly colon: number
}

function readLine(text: string): ParsedLine {
  const [, indent = '', dash = '', quote = '', key] =
    /^([ \t]*)(-[ \t]+|-$)?(?:(["']?)([A-Za-z_][\w.-]*)\3[ \t]*:(?=[ \t]|$))?/.exec(text) ?? []
  const from = indent.length + dash.length
  const base = { indent: indent.length, isItem: dash !== '', from }
  if (key === undefined) return { ...base, colon: -1 }
  return { ...base, key, colon: text.indexOf(':', from + key.length + quote.length) }
}

function isComment(text: string, character: number): boolean {
  const at = text.search(/(?:^|\s)#/)
  return at !== -1 && at < character && !/["']/.test(text.slice(0, at))
}

function keysAbove(lines: readonly string[], line: number, first: number, found: ParsedLine): string[] {
  const above: string[] = []
  // A list may have the same indent as its key: `tools:` and `- read` below it.
  let width = found.isItem ? found.indent + 1 : found.from
  for (let at = line - 1; at >= first && width > 0; at--) {
    const other = readLine(lines[at] ?? '')
    if (other.key === undefined) continue
    if (found.isItem && width === found.indent + 1 && other.isItem && other.indent >= found.indent) continue
    const column = other.isItem ? other.indent + 1 : other.indent
    if (column >= width) continue
    // The key of an item is part of the item, not above it.
    if (!other.isItem) above.unshift(other.key)
    width = column
  }
  return above
}

function keyAt(
  text: string,
  from: number,
  path: readonly string[],
  present: readonly string[],
): HeaderPosition {
  const written = /^[\w-]*/.exec(text.slice(from))?.[0] ?? ''
  return { kind: 'key', path, written, start: from, end: from + written.length, present }
}

function valueAt(
  text: string,
  from: number,
  character: number,
  path: readonly string[],
  all: readonly string[],
): HeaderPosition {
  let start = Math.max(from, ...[',', '[', '{'].map((sign) => text.lastIndexOf(sign, character - 1) + 1))
  const ends = [',', ']', '}'].map((sign) => text.indexOf(sign, character)).filter((at) => at !== -1)
  let end = Math.min(text.length, ...ends)
  while (start < end && /[\s"']/.test(text[start] ?? '')) start++
  while (end > start && /[\s"']/.test(text[end - 1] ?? '')) end--
  const written = text.slice(start, end)
  return { kind: 'value', path, written, start, end, present: all.filter((value) => value !== written) }
}

/** The other keys next to the one on this line. */
function siblings(
  lines: readonly string[],
  line: number,
  { first, last }: { first: number; last: number },
  path: readonly string[],
): string[] {
  const own = readLine(lines[line] ?? '')
  const keys: string[] = []
  const look = (at: number) => {
    const other = readLine(lines[at] ?? '')
    if (other.key !== undefined && other.from === own.from) keys.push(other.key)
    return path.length === 0 || !other.isItem
  }
  if (path.length === 0 || !own.isItem) for (let at = line - 1; at >= first && look(at); at--);
  for (let at = line + 1; at <= last; at++) {
    if (path.length > 0 && readLine(lines[at] ?? '').isItem) break
    look(at)
  }
  return keys
}

/** The values of the list that contains this line. */
function valuesOf(
  lines: readonly string[],
  line: number,
  { first, last }: { first: number; last: number },
  found: ParsedLine,
): string[] {
  const words = (text: string) =>
    text.split(/[,[\]]/).map((word) => word.trim().replaceAll(/^["']|["']$/g, ''))
  if (found.key !== undefined) return words((lines[line] ?? '').slice(found.colon + 1)).filter(Boolean)
  const values: string[] = []
  const take = (at: number) => {
    const other = readLine(lines[at] ?? '')
    if (other.key !== undefined || other.indent !== found.indent) return false
    values.push(...words((lines[at] ?? '').slice(other.from)))
    return true
  }
  for (let at = line; at >= first && take(at); at--);
  for (let at = line + 1; at <= last && take(at); at++);
  return values.filter(Boolean)
}
