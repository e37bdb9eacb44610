import type { Located } from '../../located.ts'
import { isKnownKey, isProseKey, misspelt, plainKey, type Restriction, restrictionOf } from './known-keys.ts'

export interface Entry {
  /** As it is written. */
  readonly written: string
  readonly field: Located
}

/** A restriction that seems to be meant, in a place or a spelling where it is none. */
export interface Unseen {
  readonly key: string
  readonly restricts: Restriction
  readonly line: number
}

/** Known keys below which others may have keys of their own that are called the same. */
const containers = new Set(
  'tools allowedtools permission permissions hooks mcpservers mcp handoffs metadata spec options sidekick triggers'.split(
    ' ',
  ),
)
/** `tools:[read]`: no key for YAML, and easily a part of the value above. */
const unspaced = /^[ \t]*["'“‘]?([A-Za-z][\w-]*)["'”’]?[ \t]*(?::(?=\S)|：)/

/**
 * Restrictions that were not read and yet may be there. An agent must not get more because somebody mistyped a key or
 * indented it: whoever uses the result gives such an agent nothing.
 */
export function findUnseen(
  lines: readonly string[],
  firstLine: number,
  entries: readonly Entry[],
  /** Lines of values that were read as text, though they may hold keys. */
  isLooseLine: (line: number) => boolean,
): Unseen[] {
  const present = new Set(entries.map(({ written }) => plainKey(written)))
  const found: Unseen[] = []
  const consider = (plain: string, line: number) => {
    const key = restrictionOf(plain) === undefined ? misspelt(plain) : plain
    const restricts = key === undefined ? undefined : restrictionOf(key)
    if (key !== undefined && !present.has(key) && (restricts === 'tools' || restricts === 'agents'))
      found.push({ key, restricts, line })
  }
  for (const { written, field } of entries) {
    const plain = plainKey(written)
    if (restrictionOf(plain) === undefined) consider(plain, field.line)
    const swallowed = field.isLoose === true ? swallowedIn(plain, String(field.value)) : undefined
    if (swallowed !== undefined) consider(swallowed, field.line)
    if (isKnownKey(plain) && !containers.has(plain))
      for (const [name, nested] of field.fields ?? []) consider(plainKey(name), nested.line)
  }
  for (const [index, text] of lines.entries()) {
    const line = firstLine + index
    const name = isLooseLine(line) ? meantIn(text) : unspaced.exec(text)?.[1]
    if (name !== undefined && !entries.some(({ field }) => holds(field, name, line)))
      consider(plainKey(name), line)
  }
  return found
}

/** A key that stands behind a value on the same line. In sentences people write `tools: `, but hardly ever `tools: [`. */
function swallowedIn(plain: string, value: string): string | undefined {
  if (isProseKey(plain)) return /(tools|agents)\s*:\s*\[/i.exec(value)?.[1]?.toLowerCase()
  return isKnownKey(plain) && restrictionOf(plain) === undefined
    ? /(tools|agents|permission)\s*:/i.exec(value)?.[1]?.toLowerCase()
    : undefined
}

/** `tools = read`, `**tools**: read`, `> tools [read]`: somebody meant a key. */
function meantIn(line: string): string | undefined {
  const bare = line.slice(0, 200).replace(/^[^A-Za-z#]+/, '')
  return /^([A-Za-z][\w-]*)\W{0,6}?[:：=[]/.exec(bare)?.[1]
}

/** Whether a nested mapping has this key on this line. */
function holds(field: Located, name: string, line: number): boolean {
  if (field.fields?.get(name)?.line === line) return true
  return [...(field.fields?.values() ?? []), ...(field.items ?? [])].some((part) => holds(part, name, line))
}
