import type { Located } from './located.ts'

const maxLength = 64 * 1_024
const key = /^([A-Za-z_][\w-]{0,99}):(?: +(.*))?$/
const item = /^( {0,8})- +([^ ].*)$/
/** Characters with a meaning in YAML, or invisible ones. */
const unusual = /(?!\n)\p{Cc}|[\u2028\u2029\ufeff\ufffe\uffff]/u
/** First characters with which a plain scalar is always text. */
const plain = /^[A-Za-z\u00c0-\u02af\u0370-\u0fff\u3040-\ud7ff]/
const word = / *(?:"([^"\\]*)"|'([^']*)'|([A-Za-z][\w./*()@+-]*(?: [\w./*()@+-]+)*)) *(,|$)/y

/**
 * Reads simple YAML: keys with one line of text, a number, a boolean or a list of words. Returns `undefined` for everything else and
 * everything ambiguous, which needs the complete parser. That parser is much slower, and slow to load. If this returns a result, the
 * complete parser would return the same.
 */
export function readSimpleYaml(text: string, firstLine: number): Located | undefined {
  if (text.length > maxLength || unusual.test(text)) return undefined
  const lines = text.split('\n')
  const fields = new Map<string, Located>()
  for (let at = 0; at < lines.length; ) {
    const [, name, rest = ''] = key.exec(lines[at] as string) ?? []
    if (name === undefined) {
      if (lines[at] !== '' && !lines[at]?.startsWith('#')) return undefined
      at++
      continue
    }
    const line = firstLine + at++
    const items: Located[] = []
    if (rest === '') at = readItems(lines, at, firstLine, items)
    const value =
      items.length > 0 ? { line, items, value: items.map((part) => part.value) } : readValue(rest, line)
    if (value === undefined || fields.has(name)) return undefined
    fields.set(name, value)
  }
  const line = [...fields.values()][0]?.line
  if (line === undefined) return undefined
  return { line, fields, value: Object.fromEntries([...fields].map(([name, field]) => [name, field.value])) }
}

/** Reads the items of a list below its key, and returns the line after it. If the list is not simple, reading the next line fails. */
function readItems(lines: readonly string[], start: number, firstLine: number, items: Located[]): number {
  const indent = item.exec(lines[start] ?? '')?.[1]
  let at = start
  for (; at < lines.length; at++) {
    const [, before, rest = ''] = item.exec(lines[at] as string) ?? []
    const value = before === indent && before !== undefined ? scalarOf(rest.replace(/ +$/, '')) : undefined
    if (value === undefined) break
    items.push({ line: firstLine + at, value })
  }
  return at
}

function readValue(rest: string, line: number): Located | undefined {
  const written = rest.replace(/ +$/, '')
  if (written.startsWith('[') && written.endsWith(']')) return wordsOf(written.slice(1, -1), line)
  if (written === '') return { line, value: null }
  const value = scalarOf(written)
  return value === undefined ? undefined : { line, value }
}

function scalarOf(written: string): string | number | boolean | undefined {
  const quoted = /^"([^"\\]*)"$|^'([^']*)'$/.exec(written)
  if (quoted !== null) return quoted[1] ?? quoted[2]
  if (written === 'true' || written === 'false') return written === 'true'
  if (/^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/.test(written)) return Number(written)
  const isText = plain.test(written) && !/: | #|:$|^(?:null|true|false)$/i.test(written)
  return isText ? written : undefined
}

function wordsOf(written: string, line: number): Located | undefined {
  const items: Located[] = []
  word.lastIndex = 0
  for (let isMore = !/^ *$/.test(written); isMore; ) {
    const match = word.exec(written)
    const value = match?.[1] ?? match?.[2] ?? match?.[3]
    if (value === undefined || /^(?:null|true|false)$/i.test(match?.[3] ?? '')) return undefined
    items.push({ line, value })
    isMore = match?.[4] === ','
  }
  return { line, items, value: items.map((part) => part.value) }
}
