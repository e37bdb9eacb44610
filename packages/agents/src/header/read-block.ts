import { type Located, readYaml } from '@cadre/disk'
import type { HeaderRepairCode } from './header-repair.ts'
import { indentOf, isBlank, type KeyLine } from './key-line.ts'
import { isProseKey, isTextKey, plainKey, restrictionOf } from './known-keys.ts'
import { readLenientText } from './read-lenient-text.ts'
import type { HeaderBlock } from './split-blocks.ts'
import { quoteText, writeText } from './write-text.ts'

export type KeyBlock = HeaderBlock & { readonly key: KeyLine }

/** The value of one key, and its corrected form. */
export interface ParsedBlock {
  readonly field: Located
  readonly rescue?: HeaderRepairCode
  /** The line of the rescue, if not that of the key. */
  readonly rescueLine?: number
  /** Absent if it is unknown. */
  readonly lines?: readonly string[]
}

/** Reads the value of one key separately: as YAML if possible, otherwise as the intended text. */
export function readBlock(block: KeyBlock): ParsedBlock {
  const { key } = block
  const written = block.lines.map((text) =>
    text.startsWith(key.indent) ? text.slice(key.indent.length) : text,
  )
  const strict = readOne(written, block)
  if (strict !== undefined)
    return { field: strict, lines: written, ...(key.indent !== '' && { rescue: 'key-indented' }) }
  const isRestriction = restrictionOf(key.plain) !== undefined && key.plain !== 'hooks'
  const spaced = restorePromptWhitespace(written, key)
  const tidy = normaliseIndent(spaced)
  const rescue = causeOf(written, key)
  // If tabs and spaces are mixed, the nesting is unknown.
  const field = isRestriction && mixesIndents(written) ? undefined : readOne(tidy, block)
  if (field !== undefined) {
    const isLoose = isRestriction && rescue === 'value-not-indented'
    return { field: isLoose ? { ...field, isLoose } : field, lines: tidy, rescue }
  }
  if (isRestriction) return readRestriction(written, block)
  if (isTextKey(key.plain) || isProseKey(key.plain) || written.length === 1) return readText(spaced, block)
  return (
    readNested(quoteValues(tidy), block) ??
    readItems(tidy, block) ?? { ...readText(spaced, block, false), rescue: 'value-unreadable' }
  )
}

/** If some handoffs are invalid, the others are still used. */
function readItems(lines: readonly string[], block: KeyBlock): ParsedBlock | undefined {
  if (block.key.plain !== 'handoffs') return undefined
  const [first = '', ...further] = lines
  const indent = further.find((line) => /^ *- /.test(line))?.search(/\S/)
  const starts = further.flatMap((line, index) =>
    line.search(/\S/) === indent && /^ *-(?: |$)/.test(line) ? [index] : [],
  )
  const items = starts.map((start, index): Located => {
    const text = [first, ...further.slice(start, starts[index + 1])]
    const part = { ...block, line: block.line + start }
    const field = readOne(text, part) ?? readNested(quoteValues(text), part)?.field
    return field?.items?.[0] ?? { line: block.line + 1 + start, value: null, isLoose: true }
  })
  const broken = items.find(({ isLoose }) => isLoose === true)
  if (broken === undefined || items.every(({ isLoose }) => isLoose === true)) return undefined
  const field = { line: block.line, value: items.map(({ value }) => value), items }
  return { field, rescue: 'value-unreadable', rescueLine: broken.line }
}

/** Returns the YAML value of these lines, if they are one key with one value, and text where text is required. */
function readOne(
  lines: readonly string[],
  { key, line }: KeyBlock,
  duplicates: 'break' | 'first' = 'break',
): Located | undefined {
  const read = readYaml({ text: lines.join('\n'), path: '', firstLine: line, duplicates })
  if (read.kind === 'broken' || read.root.fields?.size !== 1) return undefined
  for (const [name, field] of read.root.fields) {
    const isNested = field.fields !== undefined || field.items !== undefined
    if (plainKey(name) === key.plain && !(isNested && isTextKey(key.plain))) return field
  }
  return undefined
}

function readNested(lines: readonly string[], block: KeyBlock): ParsedBlock | undefined {
  const field = readOne(lines, block)
  if (field !== undefined) return { field, lines, rescue: 'value-unquoted' }
  const first = readOne(lines, block, 'first')
  return first === undefined ? undefined : { field: first, rescue: 'yaml-duplicate-key' }
}

function readText(lines: readonly string[], { key, line }: KeyBlock, isExact = true): ParsedBlock {
  const [first = '', ...further] = lines
  const text = readLenientText(first.slice(first.indexOf(':') + 1), further)
  return {
    field: { line, value: text, isLoose: true },
    ...(isExact && { lines: writeText(key.written, text) }),
    rescue: causeOf(lines, key),
  }
}

/** A restriction must be valid YAML, or a single star. Anything else is invalid, whatever it looks like. */
function readRestriction(lines: readonly string[], { key, line }: KeyBlock): ParsedBlock {
  const text = [key.rest, ...lines.slice(1)].join('\n').trim()
  if (/^(?:\*|\[\s*\*\s*\]|-\s+\*)(?:[ \t]+#.*)?$/.test(text)) {
    const quoted = lines.map((written) => written.replace(/\*(?=\s*(?:\]|#|$))/, "'*'"))
    return { field: { line, value: '*' }, lines: quoted, rescue: 'star-unquoted' }
  }
  return { field: { line, value: text, isLoose: true }, rescue: 'value-unreadable' }
}

/** Adds a space after the colon, and removes quotes that YAML does not support. */
function restorePromptWhitespace(lines: readonly string[], { written, rest }: KeyLine): string[] {
  const [first = '', ...further] = lines
  const isKey = first.startsWith(`${written}:`) || /^["']/.test(first)
  return isKey && /^(?:\s|$)/.test(rest) ? [...lines] : [`${written}: ${rest.trim()}`, ...further]
}

/** Replaces tabs with spaces, and indents further lines of the value. */
function normaliseIndent(lines: readonly string[]): string[] {
  return lines.map((line, index) => {
    const indent = indentOf(line)
    const spaces = indent.replaceAll('\t', '  ') + line.slice(indent.length)
    const isFurther = index > 0 && indent === '' && !isBlank(line) && !/^-(?:\s|$)/.test(line)
    return isFurther ? `  ${spaces}` : spaces
  })
}

function mixesIndents(lines: readonly string[]): boolean {
  const indents = lines.map(indentOf).join('')
  return indents.includes('\t') && indents.includes(' ')
}

function causeOf(lines: readonly string[], { rest }: KeyLine): HeaderRepairCode {
  const further = lines.slice(1)
  if (further.some((line) => /^ *\t/.test(line))) return 'tab-indent'
  if (!/^(?:\s|$)/.test(rest)) return 'key-unspaced'
  if (/^\s*["'“‘]/.test(rest)) return 'quotes-unbalanced'
  if (further.some((line) => !isBlank(line) && indentOf(line) === '')) return 'value-not-indented'
  return /^\s*(?:$|[[{])/.test(rest) ? 'value-not-text' : 'value-unquoted'
}

const entry = /^([ \t]*(?:- +)*[\w-]+:[ \t]+)(\S.*)$/s
const item = /^([ \t]*(?:- +)+)(\S.*)$/s

/**
 * Quotes plain values of nested keys that YAML would misread. Only complete single lines: a value that continues on the
 * next line is unchanged.
 */
function quoteValues(lines: readonly string[]): string[] {
  return lines.map((line, index) => {
    if (index === 0) return line
    const match = entry.exec(line) ?? item.exec(line)
    const [, before = '', value = ''] = match ?? []
    return isRisky(value) ? before + quoteText(value.trimEnd()) : line
  })
}

function isRisky(value: string): boolean {
  if (value === '' || /^(?:["'[{#]|[|>][-+\d]{0,2}\s*$)/.test(value)) return false
  return /^[*&!%@`]/.test(value) || /:(?:\s|$)/.test(value)
}
