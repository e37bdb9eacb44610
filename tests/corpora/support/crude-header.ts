/**
 * A header as somebody sees it who has never heard of YAML: lines between two rules, keys at the left margin. On purpose
 * so simple that it can be believed, and without anything of the loader, whose mistakes it is there to find.
 */
export interface CrudeHeader {
  /** Where its names come from: the header, or the whole file when one cannot see where the header ends. */
  readonly text: string
  /** Of every key at the left margin, and of those that a YAML file keeps in `metadata` and `spec`. */
  readonly values: readonly CrudeValue[]
  /** There is a rule behind it. */
  readonly closed: boolean
}

export interface CrudeValue {
  readonly key: string
  /** Everything from behind the colon to the next key. */
  readonly text: string
}

const keyAtMargin = /^["']?([A-Za-z][\w-]*)["']?[ \t]*:(?=[ \t]|$|[[{"'*])/
const rule = /^(\s*)---\s*$/

/** `undefined`: there is nothing at the beginning of the file that could be a header. */
export function crudeHeader(path: string, text: string): CrudeHeader | undefined {
  const isData = /\.(ya?ml|json)$/i.test(path)
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  let at = lines.findIndex((line) => line.trim() !== '')
  if (/^\s*(`{3,}|~{3,})\w*\s*$/.test(lines[at] ?? '')) at++
  const margin = rule.exec(lines[at] ?? '')?.[1]
  // What is further to the right than the first rule belongs to a value.
  const isEnd = (line: string) =>
    (rule.exec(line)?.[1]?.length ?? Infinity) <= (margin ?? '').length ||
    (isData && line.trimEnd() === '...')
  if (margin === undefined && !isData && !/^(name|description|tools|model)\s*:/.test(lines[at] ?? ''))
    return undefined
  if (margin !== undefined) at++
  // The first rule twice is a slip when keys follow; the header is what comes behind it.
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

/** Whether somebody who opens the file would say that it has a header. */
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
  const least = indents.reduce((a, b) => Math.min(a, b), indents[0] ?? 0)
  return lines.map((line) => line.slice(least))
}
