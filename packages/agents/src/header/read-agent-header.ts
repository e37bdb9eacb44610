import { type Diagnostic, type Located, readYaml } from '@cadre/disk'
import {
  findUnreadRestrictions,
  type HeaderEntry,
  type UnreadRestriction,
} from './find-unread-restrictions.ts'
import type { HeaderRepair } from './header-repair.ts'
import { isBlank, isComment, keyLineOf } from './key-line.ts'
import { isKnownKey, isProseKey, isTextKey, type KeySynonyms, plainKey } from './known-keys.ts'
import { moveNestedToolsUp } from './move-nested-tools-up.ts'
import { type KeyBlock, readBlock } from './read-block.ts'
import { type HeaderBlock, splitBlocks } from './split-blocks.ts'

export interface HeaderRequest {
  readonly path: string
  readonly lines: readonly string[]
  /** The line number of its first line. */
  readonly firstLine: number
  /** The dialect's other names for keys. */
  readonly synonyms?: KeySynonyms
}

export type ParsedHeader =
  | {
      readonly kind: 'read'
      /** In order; a key may occur twice. */
      readonly entries: readonly HeaderEntry[]
      readonly rescues: readonly HeaderRepair[]
      readonly rescued: boolean
      /** For a rescued header: why it is not valid YAML. */
      readonly fault?: Diagnostic
      /** Valid YAML that was probably not intended. */
      readonly hints: readonly HeaderRepair[]
      /** The corrected header. Absent if it is unknown. */
      readonly lines?: readonly string[]
      readonly unseen: readonly UnreadRestriction[]
    }
  | { readonly kind: 'broken'; readonly diagnostics: readonly Diagnostic[] }

// A hand-written header is never this long, and every part of it is read more than once.
const maxLength = 64 * 1_024
const maxBlocks = 500

/** Reads the keys of a header: as YAML or, if that fails, each key separately. */
export function readHeader(request: HeaderRequest): ParsedHeader {
  const { path, lines, firstLine } = request
  const strict = readYaml({ text: lines.join('\n'), path, firstLine })
  if (strict.kind === 'read') {
    const { fields, value, line } = strict.root
    if (value === null || (fields !== undefined && hasTextValues(fields))) {
      const entries = moveNestedToolsUp(
        withMergedEntries([...(fields ?? [])].map(([written, field]) => ({ written, field }))),
      )
      const unseen = findUnreadRestrictions({ ...request, entries, isLooseLine: () => false })
      return {
        kind: 'read',
        entries,
        rescues: [],
        rescued: false,
        hints: hintsIn(request, entries),
        lines,
        unseen,
      }
    }
    const message = 'The header must contain keys and values.'
    return byBlocks(request, [{ path, line, severity: 'error', code: 'header-shape', message }])
  }
  return byBlocks(request, strict.diagnostics)
}

function byBlocks(request: HeaderRequest, diagnostics: readonly Diagnostic[]): ParsedHeader {
  const { lines, firstLine } = request
  const blocks = isShort(lines) ? splitBlocks(lines, firstLine) : []
  if (blocks.length > maxBlocks || !blocks.some(hasKnownKey)) return { kind: 'broken', diagnostics }
  const found: HeaderEntry[] = []
  const rescues: HeaderRepair[] = []
  const loose = new Set<number>()
  const seen = new Set<string>()
  const parts = blocks.map((block): readonly string[] | undefined => {
    if (!isKeyBlock(block)) return strayLines(block, rescues)
    const { key, line } = block
    const read = readBlock(block)
    if (read.rescue !== undefined) rescues.push({ code: read.rescue, line: read.rescueLine ?? line })
    for (const [index, text] of block.lines.entries()) {
      // Even valid YAML may have swallowed a key near an error.
      if (
        index > 0 &&
        (read.rescue !== undefined || (isProseKey(key.plain) && keyLineOf(text) !== undefined))
      )
        loose.add(line + index)
    }
    found.push({ written: key.written, field: read.field })
    // The first one applies, so the others are better treated as comments.
    const isRepeated = seen.has(key.plain)
    seen.add(key.plain)
    return isRepeated ? block.lines.map(asComment) : read.lines
  })
  const strays = blocks.filter((block) => !isKeyBlock(block))
  for (const { line, lines: text } of strays) for (const index of text.keys()) loose.add(line + index)
  const entries = moveNestedToolsUp(withMergedEntries(found))
  return {
    kind: 'read',
    entries,
    rescues,
    rescued: true,
    ...(diagnostics[0] !== undefined && { fault: { ...diagnostics[0], severity: 'warning' } }),
    hints: [],
    ...(parts.every((part) => part !== undefined) && { lines: parts.flat() as string[] }),
    unseen: findUnreadRestrictions({ ...request, entries, isLooseLine: (line) => loose.has(line) }),
  }
}

function strayLines({ line, lines }: HeaderBlock, rescues: HeaderRepair[]): readonly string[] {
  return lines.map((text, index) => {
    if (isBlank(text) || isComment(text) || text.trimEnd() === '---') return text
    rescues.push({ code: 'stray-text', line: line + index })
    return asComment(text)
  })
}

function asComment(line: string): string {
  return isBlank(line) || isComment(line) ? line : `# ${line}`
}

function isShort(lines: readonly string[]): boolean {
  return lines.reduce((sum, line) => sum + line.length + 1, 0) <= maxLength
}

function isKeyBlock(block: HeaderBlock): block is KeyBlock {
  return block.key !== undefined
}

function hasKnownKey({ key }: HeaderBlock): boolean {
  return key !== undefined && isKnownKey(key.plain)
}

function hasTextValues(fields: ReadonlyMap<string, Located>): boolean {
  return [...fields].every(
    ([key, { fields: parts, items }]) => (parts ?? items) === undefined || !isTextKey(plainKey(key)),
  )
}

/** Appends the entries of `<<` after the explicit ones. */
function withMergedEntries(entries: readonly HeaderEntry[]): HeaderEntry[] {
  const own = entries.filter(({ written }) => written !== '<<')
  if (own.length === entries.length) return own
  const present = new Set(own.map(({ written }) => plainKey(written)))
  for (const { written, field } of entries) {
    if (written !== '<<') continue
    for (const [key, part] of [field, ...(field.items ?? [])].flatMap(({ fields }) => [...(fields ?? [])])) {
      if (!present.has(plainKey(key))) own.push({ written: key, field: part })
      present.add(plainKey(key))
    }
  }
  return own
}

/** Finds values that YAML accepts but reads differently from what was intended. */
function hintsIn(
  { lines, firstLine }: { readonly lines: readonly string[]; readonly firstLine: number },
  entries: readonly HeaderEntry[],
): HeaderRepair[] {
  return entries.flatMap(({ field: { line } }): HeaderRepair[] => {
    const key = keyLineOf(lines[line - firstLine] ?? '')
    if (key === undefined) return []
    if (/^\s*\[?\s*[“”‘’]/.test(key.rest)) return [{ code: 'smart-quotes', line }]
    // `# a comment` has a space after the `#`, `#12` does not.
    const isCut = isTextKey(key.plain) && /^[^"'|>]*\s#[^\s#]/.test(key.rest)
    return isCut ? [{ code: 'value-cut', line }] : []
  })
}
