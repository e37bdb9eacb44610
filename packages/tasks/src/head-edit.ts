import { type RawText, rawOf } from '@cadre/disk'
import { applySplices, type Splice } from './edit-tasks.ts'
import { type HeadField, type HeadToken, type Quote, readHead, type TaskHead } from './task-head.ts'
import { decodeValue, quoteValue } from './task-values.ts'

/** A change of a task's line. Absent fields stay unchanged. */
export interface HeadChange {
  readonly title?: string
  readonly priority?: string | null
  readonly who?: readonly string[]
  readonly tags?: readonly string[]
  /** Fields on the line. */
  readonly fields?: ReadonlyMap<string, string | null>
  /** Removes all markers except the first. */
  readonly oneMarker?: boolean
  /** Quotes everything that could be misread. */
  readonly careful?: boolean
}

/** Applies the changes to the text after the brackets. Changes only the bytes of the named parts. */
export function editHead(raw: RawText, head: TaskHead, change: HeadChange): RawText {
  const gone = new Set(head.tokens.filter((token) => isRemoved(token, head, change)))
  const kept: TaskHead = { ...head, tokens: head.tokens.filter((token) => !gone.has(token)) }
  const parts = [
    ...[...gone].map((token) => removal(raw, token)),
    ...priorityEdit(kept, change.priority),
    ...signEdits(kept, 'who', change.who),
    ...signEdits(kept, 'tag', change.tags),
    ...fieldEdits(kept, change.fields ?? new Map()),
  ]
  const wanted = change.title ?? (change.careful ? titleOf(head)?.text : undefined)
  if (wanted === undefined) return trimEnd(raw, applySplices(raw, parts))
  const styles = change.careful ? (['"'] as const) : stylesOf(head, wanted)
  const tried = styles.map((quote) =>
    trimEnd(raw, applySplices(raw, [...parts, titleEdit(kept, wanted, quote)])),
  )
  return tried.find((line) => readsAs(line, wanted)) ?? tried.at(-1) ?? raw
}

function isRemoved(token: HeadToken, head: TaskHead, change: HeadChange): boolean {
  const isBeyond = (names: readonly string[] | undefined) =>
    names !== undefined && tokensOf(head, token.kind).indexOf(token) >= names.length
  if (token.kind === 'marker') return change.oneMarker === true
  if (token.kind === 'priority') return change.priority === null
  if (token.kind === 'who') return isBeyond(change.who)
  if (token.kind === 'tag') return isBeyond(change.tags)
  return token.kind === 'field' && change.fields?.get(token.key) === null
}

/** Keeps the current quotes if the new title allows them. */
function stylesOf(head: TaskHead, wanted: string): (Quote | undefined)[] {
  const quote = titleOf(head)?.quote
  const isBare = titleOf(head) !== undefined && quote === undefined
  const isFree = quote !== undefined && !wanted.includes(quote)
  return [...(isBare ? [undefined] : isFree ? [quote] : []), '"']
}

export function formatTitle(title: string, quote: Quote | undefined): string {
  if (quote === '"') return `"${title.replace(/["\\]/g, '\\$&')}"`
  return quote === undefined ? title : `${quote}${title}${quote}`
}

function titleEdit(head: TaskHead, title: string, quote: Quote | undefined): Splice {
  const token = titleOf(head)
  const insert = rawOf(formatTitle(title, quote))
  if (token !== undefined) return { at: token.at, remove: token.end - token.at, insert }
  return insertion(head, ['marker', 'priority', 'who', 'tag'], insert)
}

function readsAs(line: RawText, title: string): boolean {
  const { tokens, unclosed } = readHead(line)
  const found = tokens.find(({ kind }) => kind === 'title')
  return unclosed === undefined && found?.text === title && tokens.every(({ kind }) => kind !== 'rest')
}

function priorityEdit(head: TaskHead, priority: string | null | undefined): Splice[] {
  if (priority === undefined || priority === null) return []
  const [token] = tokensOf(head, 'priority')
  if (token === undefined) return [insertion(head, ['marker'], priority)]
  return token.text === priority ? [] : [{ at: token.at, remove: 1, insert: priority }]
}

function signEdits(head: TaskHead, kind: 'who' | 'tag', names: readonly string[] | undefined): Splice[] {
  if (names === undefined) return []
  const there = tokensOf(head, kind)
  const changed = there.flatMap((token, index): Splice[] => {
    const name = names[index] ?? token.text
    if (name === token.text) return []
    return [{ at: token.at + 1, remove: rawOf(token.text).length, insert: rawOf(name) }]
  })
  const before: HeadToken['kind'][] = [
    'marker',
    'priority',
    'who',
    ...(kind === 'tag' ? (['tag'] as const) : []),
  ]
  const sign = kind === 'who' ? '@' : '#'
  return [...changed, ...names.slice(there.length).map((name) => insertion(head, before, sign + rawOf(name)))]
}

function fieldEdits(head: TaskHead, fields: ReadonlyMap<string, string | null>): Splice[] {
  const seen = new Set<string>()
  return head.tokens.flatMap((token) => {
    if (token.kind !== 'field') return []
    const value = fields.get(token.key)
    if (value === undefined || value === null || seen.has(token.key) || value === token.text) return []
    seen.add(token.key)
    return [valueEdit(token, inlineValue(value))]
  })
}

function valueEdit({ valueAt, end }: HeadField, text: string): Splice {
  return { at: valueAt, remove: end - valueAt, insert: valueAt === end ? ` ${rawOf(text)}` : rawOf(text) }
}

/** On the line of a task, an unquoted value is one word. */
function inlineValue(value: string): string {
  const isWord =
    /^[^\s@#|>"'`,][^\s"'`,]*$/.test(value) && !value.endsWith(':') && decodeValue(value) === value
  return isWord && quoteValue(value) === `"${value}"` ? value : quoteValue(value)
}

/** Inserts after the last part of these kinds before the title, or at the start. */
function insertion(head: TaskHead, kinds: readonly HeadToken['kind'][], text: RawText): Splice {
  const end = head.tokens.findIndex(({ kind }) => kind === 'title' || kind === 'field')
  const front = end === -1 ? head.tokens : head.tokens.slice(0, end)
  const behind = front.findLast(({ kind }) => kinds.includes(kind))
  if (behind !== undefined) return { at: behind.end, remove: 0, insert: ` ${text}` }
  return { at: head.tokens[0]?.at ?? 0, remove: 0, insert: `${text} ` }
}

/** Removes a part and the white space between it and its neighbour. */
function removal(raw: RawText, { at, end }: HeadToken): Splice {
  let next = end
  while (raw[next] === ' ' || raw[next] === '\t') next++
  if (next < raw.length) return { at, remove: next - at, insert: '' }
  let first = at
  while (raw[first - 1] === ' ' || raw[first - 1] === '\t') first--
  return { at: first, remove: end - first, insert: '' }
}

function tokensOf(head: TaskHead, kind: HeadToken['kind']): HeadToken[] {
  return head.tokens.filter((token) => token.kind === kind)
}

function titleOf(head: TaskHead): (HeadToken & { kind: 'title' }) | undefined {
  return head.tokens.find((token) => token.kind === 'title')
}

/** Removes the space after a part that was inserted at the end. */
function trimEnd(before: RawText, after: RawText): RawText {
  return before === '' || !/[ \t]$/.test(before) ? after.replace(/ $/, '') : after
}
