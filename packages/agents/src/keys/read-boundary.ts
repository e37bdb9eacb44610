import type { Boundary } from '@cadre/core'
import type { Located } from '@cadre/disk'
import type { HeaderEntry } from '../header/find-unread-restrictions.ts'
import { isProseKey, isSimilarKey, plainKey, replaceLookAlikes } from '../header/known-keys.ts'
import type { HeaderReader } from './header-reader.ts'

/** Normalized keys, with their values from strictest to loosest. */
const parts = {
  cadrewrites: { name: 'writes', written: 'cadre-writes', values: ['none', 'artifact'] },
  cadrecommands: { name: 'commands', written: 'cadre-commands', values: ['none', 'copy'] },
} as const

type PartKey = keyof typeof parts

/** Other Cadre keys, which do not affect the boundary. */
const others = new Set(['cadreentry', 'cadreorder', 'cadreunset'])

const inText = /cadre[-_ ]?(?:writes|commands)\s*["']?\s*[:=]/i

/**
 * Reads the boundary: `cadre-writes` and `cadre-commands` in `metadata` or at the top level. If set more than once, the
 * strictest applies. A key that seems to be one of them but is invalid permits nothing.
 */
export function readBoundary(header: HeaderReader, entries: readonly HeaderEntry[]): Boundary | undefined {
  const found: Record<PartKey, number[]> = { cadrewrites: [], cadrecommands: [] }
  const refuse = (line: number, what: string, keys: readonly PartKey[]) => {
    for (const key of keys) found[key].push(0)
    header.report(
      'warning',
      'boundary-unclear',
      line,
      `${what}, so this agent ${keys.map((key) => refusals[key]).join(' and ')}.`,
      'Under metadata, write cadre-writes: none or artifact, and cadre-commands: none or copy.',
    )
  }
  const consider = (written: string, field: Located, isInPlace: boolean): void => {
    const key = findBoundaryPart(written)
    if (key === undefined || (key === 'unknown' && !isInPlace)) return
    if (key === 'unknown') {
      refuse(field.line, `${written} is an unknown key`, ['cadrewrites', 'cadrecommands'])
      return
    }
    const at = strictnessOf(key, field)
    if (!isInPlace || !isBoundaryKey(written))
      refuse(field.line, `${written} looks like ${parts[key].written}, but is in the wrong place`, [key])
    else if (at === -1) {
      const rule = `${written} must be ${parts[key].values.join(' or ')}, not ${JSON.stringify(field.value).slice(0, 80)}`
      // A missing line break: the other key is part of this value.
      const isBoth = typeof field.value === 'string' && inText.test(field.value)
      refuse(field.line, rule, isBoth ? ['cadrewrites', 'cadrecommands'] : [key])
    } else found[key].push(at)
  }
  for (const { written, field } of entries) {
    const plain = plainKey(written)
    consider(written, field, true)
    if (plain !== 'otherkeys') walk(field, plain === 'metadata', consider)
    if (isSwallowed(plain, field))
      refuse(field.line, `${written} does not contain keys`, ['cadrewrites', 'cadrecommands'])
  }
  for (const key of Object.keys(parts)) header.takeAll(key)
  return resolveBoundary(strictest('cadrewrites'), strictest('cadrecommands'))

  function strictest(key: PartKey): string | undefined {
    return found[key].length === 0 ? undefined : parts[key].values[Math.min(...found[key])]
  }
}

const refusals = { cadrewrites: 'may not change files', cadrecommands: 'may not run commands' } as const

/** True if a key of a header or its metadata sets a part of the boundary, in any spelling. */
export function isBoundaryKey(written: string): boolean {
  return Object.hasOwn(parts, plainKey(written))
}

/** Commands can change files, so for an agent that may not, they run on a copy. */
function resolveBoundary(writes: string | undefined, commands: string | undefined): Boundary | undefined {
  if (writes === undefined && commands === undefined) return undefined
  return {
    ...(writes !== undefined && { writes }),
    ...((commands ?? writes) !== undefined && { commands: commands ?? 'copy' }),
  } as Boundary
}

function walk(
  { fields, items }: Located,
  isMetadata: boolean,
  consider: (written: string, field: Located, isInPlace: boolean) => void,
): void {
  for (const [written, field] of fields ?? []) {
    consider(written, field, isMetadata)
    walk(field, false, consider)
  }
  for (const item of items ?? []) walk(item, false, consider)
}

function strictnessOf(key: PartKey, { value }: Located): number {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return (parts[key].values as readonly string[]).indexOf(word)
}

function findBoundaryPart(written: string): PartKey | 'unknown' | undefined {
  const bare = replaceLookAlikes(written)
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, '')
  const key = (Object.keys(parts) as PartKey[]).find((part) => part === bare || isSimilarKey(part, bare))
  if (key !== undefined) return key
  return bare.startsWith('cadre') && bare !== 'cadre' && !others.has(bare) ? 'unknown' : undefined
}

/** Finds keys that became part of another value. People may mention these keys in prose. */
function isSwallowed(plain: string, { value, isLoose }: Located): boolean {
  if (typeof value !== 'string') return false
  if (plain === 'metadata') return inText.test(value) || isTornKey(value)
  return isLoose === true && !isProseKey(plain) && inText.test(value)
}

/** True for the rest of a key that was split by a line break. */
function isTornKey(value: string): boolean {
  const word = value.trim().toLowerCase()
  return word !== '' && Object.values(parts).some(({ written }) => written.startsWith(word))
}
