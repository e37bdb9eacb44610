/**
 * A header as seen without knowing YAML: lines between two rules, keys at the left margin. Deliberately simple enough to be
 * obviously correct, and independent of the loader, whose mistakes it must find.
 */
export interface CrudeHeader {
  /** The source of its names: the header, or the whole file if the end of the header is unclear. */
  readonly text: string
  /** Every key at the left margin, and those in `metadata` and `spec` of a YAML file. */
  readonly values: readonly CrudeValue[]
  /** It is followed by a rule. */
  readonly closed: boolean
}

export interface CrudeValue {
  readonly key: string
  /** Everything after the colon up to the next key. */
  readonly text: string
}

const keyAtMargin = /^["']?([A-Za-z][\w-]*)["']?[ \t]*:(?=[ \t]|$|[[{"'*])/
const rule = /^(\s*)---\s*$/

/** `undefined`: nothing at the start of the file could be a header. */
export function crudeHeader(path: string, text: string): CrudeHeader | undefined {
  const isData = /\.(ya?ml|json)$/i.test(path)
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  let at = lines.findIndex((line) => line.trim() !== '')
  if (/^\s*(`{3,}|~{3,})\w*\s*$/.test(lines[at] ?? '')) at++
  const margin = rule.exec(lines[at] ?? '')?.[1]
  // A line that is indented deeper than the first rule is part of a value.
  const isEnd = (line: string) =>
    (rule.exec(line)?.[1]?.length ?? Infinity) <= (margin ?? '').length ||
    (isData && line.trimEnd() === '...')
  if (margin === undefined && !isData && !/^(name|description|tools|model)\s*:/.test(lines[at] ?? ''))
    return undefined
  if (margin !== undefined) at++
  // The first rule twice is a typo if keys follow; the header starts after it.
  const next = lines.find((line, index) => index > at && !/^\s*(#|$)/.test(line))
  if (isEnd(lines[at] ?? '') && keyAtMargin.test(next ?? '')) at++
  const below = lines.slice(Math.max(at, 0))
  const end = below.findIndex(isEnd)
  const body = end !== -1 || isData ? end : below.findIndex((line) => /^\s*$|^#|^(`{3,}|~{3,})/.test(line))
  const header = below.slice(0, body === -1 ? undefined : body)
  const values = valuesIn(header, isData)
  const isClear = margin === '' && end !== -1 && values.length > 0
  return { text: (isClear ? header : below).join('\n'), values, closed: isData || end !== -1 }
}

/** True if a person who opens the file would say that it has a header. */
export function hasHeader(path: string, text: string): boolean {
  const header = crudeHeader(path, text)
  return header?.closed === true && header.values.length > 0
}

export function crudeValues({ values }: CrudeHeader, key: RegExp): CrudeValue[] {
  return values.filter((value) => key.test(value.key))
}

function valuesIn(lines: readonly string[], isData: boolean): CrudeValue[] {
  const found = valuesAtMargin(lines)
  const groups = found.filter(({ key }) => isData && (key === 'metadata' || key === 'spec'))
  const below = groups.flatMap(({ text }) => valuesAtMargin(text.split('\n').slice(1)))
  return [...found, ...below]
}

function valuesAtMargin(lines: readonly string[]): CrudeValue[] {
  const found: { key: string; lines: string[] }[] = []
  for (const line of outdented(lines)) {
    const key = keyAtMargin.exec(line)
    if (key === null) found.at(-1)?.lines.push(line)
    else found.push({ key: key[1] as string, lines: [line.slice(key[0].length)] })
  }
  return found.map((value) => ({ key: value.key, text: value.lines.join('\n') }))
}

function outdented(lines: readonly string[]): string[] {
  const indents = lines
    .filter((line) => !/^\s*(#|$)/.test(line))
    .map((line) => line.length - line.trimStart().length)
  const min = indents.reduce((a, b) => Math.min(a, b), indents[0] ?? 0)
  return lines.map((line) => line.slice(min))
}
