import type { Located } from '@cadre/disk'
import {
  intendedRestriction,
  isKnownKey,
  isProseKey,
  type KeySynonyms,
  plainKey,
  type Restriction,
  replaceLookAlikes,
  restrictionOf,
} from './known-keys.ts'

export interface HeaderEntry {
  /** As written. */
  readonly written: string
  readonly field: Located
}

/** A restriction that seems to be intended, but in an invalid place or spelling. */
export interface UnreadRestriction {
  readonly key: string
  readonly restricts: Restriction
  readonly line: number
  /** The file ends where a restriction might have followed. */
  readonly isTorn?: true
}

/** Keys whose nested keys may have the same names. */
const containers = new Set(
  `tools allowedtools permission permissions hooks mcpservers mcp handoffs metadata spec options sidekick triggers
  otherkeys toolpermissions delegationpermissions`.split(/\s+/),
)
/** `tools:[read]` is not a key in YAML, and can become part of the value above. */
const unspaced = /^[ \t]*["'“‘]?([A-Za-z][\w-]*)["'”’]?[ \t]*(?::(?=\S)|：)/

export interface FindUnreadOptions {
  readonly lines: readonly string[]
  readonly firstLine: number
  readonly entries: readonly HeaderEntry[]
  /** Returns whether a line is in a value that was read as text, but may contain keys. */
  readonly isLooseLine: (line: number) => boolean
  readonly synonyms?: KeySynonyms
}

/**
 * Finds restrictions that were not read but may be present. A mistyped or indented key must not give an agent more, so such
 * an agent gets nothing.
 */
export function findUnreadRestrictions({
  lines,
  firstLine,
  entries,
  isLooseLine,
  synonyms = {},
}: FindUnreadOptions): UnreadRestriction[] {
  const meaningOf = (plain: string) => (Object.hasOwn(synonyms, plain) ? (synonyms[plain] as string) : plain)
  const present = new Set(entries.map(({ written }) => meaningOf(plainKey(written))))
  const found: UnreadRestriction[] = []
  const consider = (written: string, line: number, kinds: readonly Restriction[] = ['tools', 'agents']) => {
    const key = intendedRestriction(written, synonyms)
    const restricts = key === undefined ? undefined : restrictionOf(key)
    if (key !== undefined && restricts !== undefined && !present.has(key) && kinds.includes(restricts))
      found.push({ key, restricts, line })
  }
  for (const { written, field } of entries) {
    const plain = plainKey(written)
    // Limits and flags are searched in keys only, because prose may mention timeouts and budgets.
    if (restrictionOf(meaningOf(plain)) === undefined)
      consider(written, field.line, ['tools', 'agents', 'limits', 'flags'])
    const swallowed = field.isLoose === true ? findSwallowedKey(plain, String(field.value)) : undefined
    if (swallowed !== undefined) consider(swallowed, field.line)
    if (!containers.has(plain)) for (const [name, nested] of field.fields ?? []) consider(name, nested.line)
    const last = sentences.has(plain) ? endOfBlock(lines, field.line - firstLine) : undefined
    if (last !== undefined) consider(last, field.line)
  }
  const nested = nestedKeys(entries)
  for (const [index, text] of lines.entries()) {
    const line = firstLine + index
    const name = isLooseLine(line) ? findIntendedKey(text, lines[index + 1]) : unspaced.exec(text)?.[1]
    if (name !== undefined && nested.get(line)?.has(name) !== true) consider(name, line)
  }
  return found
}

/** Excludes prompts, which can end with anything. */
const sentences = new Set(['description', 'usefor', 'whentouse', 'argumenthint'])

/** A key with a list in the last lines of a block scalar: it was indented by mistake. */
function endOfBlock(lines: readonly string[], start: number): string | undefined {
  if (!/:\s*[|>][-+\d]{0,2}\s*(?:#.*)?$/.test(lines[start] ?? '')) return undefined
  let last = start + 1
  while (last < lines.length && /^(?:\s|$)/.test(lines[last] as string)) last++
  const text = lines
    .slice(start + 1, last)
    .join('\n')
    .slice(-4_000)
    .trimEnd()
  return /(?:^|\n)[ \t]+(\w[\w-]{3,30}):[ \t]*(?:\[[^\]\n]*\]|(?:\n[ \t]+- [^\n]+)+)$/.exec(text)?.[1]
}

/** Finds a key after a value on the same line. Sentences contain `tools: `, but rarely `tools: [`. */
function findSwallowedKey(plain: string, value: string): string | undefined {
  if (isProseKey(plain)) return /(tools|agents)\s*:\s*\[/i.exec(value)?.[1]?.toLowerCase()
  return isKnownKey(plain) && restrictionOf(plain) === undefined
    ? /(tools|agents|permission)\s*:/i.exec(value)?.[1]?.toLowerCase()
    : undefined
}

/** `tools = read`, `**tools**: read`, `> tools [read]`, `tools read`: intended as a key. */
function findIntendedKey(line: string, next = ''): string | undefined {
  const bare = replaceLookAlikes(line.slice(0, 200)).replace(/^[^A-Za-z#]+/, '')
  const key = /^([A-Za-z][\w-]*)\W{0,6}?[:=[]/.exec(bare)?.[1]
  if (key !== undefined) return key
  const [, word = '', rest = ''] =
    /^([a-z][A-Za-z_-]*)(?:[ \t]+([\w*]+(?:[ \t]*,[ \t]*[\w*]+)*))?\s*$/.exec(bare) ?? []
  if (!colonless.test(word)) return undefined
  return rest !== '' || /^\s*- /.test(next) ? word : undefined
}

/** Keys that can be distinguished from a sentence without a colon. */
const colonless = /^(?:tools|allowed[-_]?tools|disallowed[-_]?tools|permissions?|capabilities)$/i

/** The keys of nested mappings, by line. */
function nestedKeys(entries: readonly HeaderEntry[]): ReadonlyMap<number, ReadonlySet<string>> {
  const keys = new Map<number, Set<string>>()
  const walk = ({ fields, items }: Located): void => {
    for (const [name, part] of fields ?? []) {
      const names = keys.get(part.line)
      if (names === undefined) keys.set(part.line, new Set([name]))
      else names.add(name)
      walk(part)
    }
    for (const item of items ?? []) walk(item)
  }
  for (const { field } of entries) walk(field)
  return keys
}
