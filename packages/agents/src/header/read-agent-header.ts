import { type Diagnostic, type Located, readYaml } from '@cadre/disk'
import { isBlank, isComment, keyLineOf } from './key-line.ts'
import { isKnownKey, isProseKey, isTextKey, plainKey, type Synonyms } from './known-keys.ts'
import { liftTools } from './lift-tools.ts'
import { type KeyBlock, readBlock } from './read-block.ts'
import type { Rescue } from './rescue.ts'
import { type Block, splitBlocks } from './split-blocks.ts'
import { type Entry, findUnseen, type Unseen } from './unseen.ts'

export interface HeaderRequest {
  readonly path: string
  readonly lines: readonly string[]
  /** The line of the file its first line is. */
  readonly firstLine: number
  /** Other names that the dialect has for keys. */
  readonly synonyms?: Synonyms
}

export type ReadHeader =
  | {
      readonly kind: 'read'
      /** In order; a key may be there twice. */
      readonly entries: readonly Entry[]
      readonly rescues: readonly Rescue[]
      readonly rescued: boolean
      /** Of a header that was rescued: why YAML does not read it. */
      readonly fault?: Diagnostic
      /** What is right for YAML, and probably was not meant so. */
      readonly hints: readonly Rescue[]
      /** The header as it should have been written. Absent when nobody can tell. */
      readonly lines?: readonly string[]
      readonly unseen: readonly Unseen[]
    }
  | { readonly kind: 'broken'; readonly diagnostics: readonly Diagnostic[] }

// Somebody's header with a mistake in it is never as long as this, and every part of it is read more than once.
const mostLetters = 64 * 1_024
const mostBlocks = 500

/** Reads the keys of a header: as YAML, and if that cannot be, each key by itself. */
export function readHeader(request: HeaderRequest): ReadHeader {
  const { path, lines, firstLine } = request
  const strict = readYaml({ text: lines.join('\n'), path, firstLine })
  if (strict.kind === 'read') {
    const { fields, value, line } = strict.root
    if (value === null || (fields !== undefined && textsAreTexts(fields))) {
      const entries = liftTools(merged([...(fields ?? [])].map(([written, field]) => ({ written, field }))))
      const unseen = findUnseen({ ...request, entries, isLooseLine: () => false })
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

function byBlocks(request: HeaderRequest, diagnostics: readonly Diagnostic[]): ReadHeader {
  const { lines, firstLine } = request
  const blocks = isShort(lines) ? splitBlocks(lines, firstLine) : []
  if (blocks.length > mostBlocks || !blocks.some(isOfKnownKey)) return { kind: 'broken', diagnostics }
  const found: Entry[] = []
  const rescues: Rescue[] = []
  const loose = new Set<number>()
  const seen = new Set<string>()
  const parts = blocks.map((block): readonly string[] | undefined => {
    if (!isKeyBlock(block)) return strayLines(block, rescues)
    const { key, line } = block
    const read = readBlock(block)
    if (read.rescue !== undefined) rescues.push({ code: read.rescue, line: read.rescueLine ?? line })
    for (const [index, text] of block.lines.entries()) {
      // Even a text that is right may have swallowed a key, where something near it is wrong.
      if (
        index > 0 &&
        (read.rescue !== undefined || (isProseKey(key.plain) && keyLineOf(text) !== undefined))
      )
        loose.add(line + index)
    }
    found.push({ written: key.written, field: read.field })
    // The first one holds, so the others are better read as comments.
    const isRepeated = seen.has(key.plain)
    seen.add(key.plain)
    return isRepeated ? block.lines.map(commented) : read.lines
  })
  const strays = blocks.filter((block) => !isKeyBlock(block))
  for (const { line, lines: text } of strays) for (const index of text.keys()) loose.add(line + index)
  const entries = liftTools(merged(found))
  return {
    kind: 'read',
    entries,
    rescues,
    rescued: true,
    ...(diagnostics[0] !== undefined && { fault: { ...diagnostics[0], severity: 'warning' } }),
    hints: [],
    ...(parts.every((part) => part !== undefined) && { lines: parts.flat() as string[] }),
    unseen: findUnseen({ ...request, entries, isLooseLine: (line) => loose.has(line) }),
  }
}

function strayLines({ line, lines }: Block, rescues: Rescue[]): readonly string[] {
  return lines.map((text, index) => {
    if (isBlank(text) || isComment(text) || text.trimEnd() === '---') return text
    rescues.push({ code: 'stray-text', line: line + index })
    return commented(text)
  })
}

function commented(line: string): string {
  return isBlank(line) || isComment(line) ? line : `# ${line}`
}

function isShort(lines: readonly string[]): boolean {
  return lines.reduce((sum, line) => sum + line.length + 1, 0) <= mostLetters
}

function isKeyBlock(block: Block): block is KeyBlock {
  return block.key !== undefined
}

function isOfKnownKey({ key }: Block): boolean {
  return key !== undefined && isKnownKey(key.plain)
}

function textsAreTexts(fields: ReadonlyMap<string, Located>): boolean {
  return [...fields].every(
    ([key, { fields: parts, items }]) => (parts ?? items) === undefined || !isTextKey(plainKey(key)),
  )
}

/** With what `<<` brings in behind what is written out. */
function merged(entries: readonly Entry[]): Entry[] {
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

/** What YAML reads without complaint and in another way than its author. */
function hintsIn(
  { lines, firstLine }: { readonly lines: readonly string[]; readonly firstLine: number },
  entries: readonly Entry[],
): Rescue[] {
  return entries.flatMap(({ field: { line } }): Rescue[] => {
    const key = keyLineOf(lines[line - firstLine] ?? '')
    if (key === undefined) return []
    if (/^\s*\[?\s*[“”‘’]/.test(key.rest)) return [{ code: 'smart-quotes', line }]
    // `# a comment` has a space behind its sign, `#12` has none.
    const isCut = isTextKey(key.plain) && /^[^"'|>]*\s#[^\s#]/.test(key.rest)
    return isCut ? [{ code: 'value-cut', line }] : []
  })
}
