import { isBlank, type RawText, textOf, widthOf } from '@cadre/disk'
import { blockIndicator, type TaskField } from './read-tasks.ts'

/**
 * Characters that an editor could treat as a line ending, or that change how text looks. They are written as escapes, so that people see
 * the actual content.
 */
const invisibleCharacter = /(?![\t\n])\p{Cc}|[\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/u
const invisibleCharacters = new RegExp(invisibleCharacter.source, 'gu')

/** The form of a value: on the line of its key, or as lines below it. */
export type ValueForm =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'block'; readonly sign: string; readonly lines: readonly string[] }

/** Normalises a value: line endings become line feeds, and empty lines at the end are dropped. */
export function normaliseValue(value: string): string {
  const lines = value.replace(/\r\n?/g, '\n').split('\n')
  while (lines.length > 1 && isBlank(lines.at(-1) ?? '')) lines.pop()
  return lines.join('\n')
}

/** Returns the form in which a normalised value reads back unchanged. */
export function valueFormOf(value: string, options: { readonly quoted?: boolean } = {}): ValueForm {
  const lines = value.split('\n')
  const isOdd = invisibleCharacter.test(value) || !value.isWellFormed() || options.quoted === true
  if (lines.length > 1 && !isOdd) {
    const isIndented = lines.every((line) => isBlank(line) || line.startsWith(' ') || line.startsWith('\t'))
    return { kind: 'block', sign: isIndented ? '|2' : '|', lines }
  }
  return { kind: 'line', text: isOdd || !isPlain(value) ? quoteValue(value) : value }
}

/** Writes a value on one line in double quotes. The result cannot close a code fence or comment that a person left open. */
export function quoteValue(value: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(invisibleCharacters, escaped).replace(/-->/g, '--\\u003e')
}

/** Returns whether a value reads back unchanged without quotes. */
function isPlain(value: string): boolean {
  return (
    value !== '' &&
    !/^[ \t]|[ \t]$|\n|-->/.test(value) &&
    !blockIndicator.test(value) &&
    decodeValue(value) === value
  )
}

/** Decodes a value on one line, quoted or not. The result is always text. */
export function decodeValue(raw: RawText): string {
  const text = textOf(raw)
  const inner = text.slice(1, -1)
  if (text.length < 2 || text[0] !== text.at(-1)) return text
  if (text[0] === "'") return inner.replaceAll("''", '').includes("'") ? text : inner.replaceAll("''", "'")
  if (text[0] === '`') return inner.includes('`') ? text : inner
  if (text[0] !== '"' || /["\\]/.test(inner.replace(/\\[^\n]/g, ''))) return text
  try {
    return String(JSON.parse(text))
  } catch {
    // A backslash that was not meant as an escape, as in "C:\Users".
    return inner
  }
}

/** Returns the value of a field. */
export function fieldValue(field: Pick<TaskField, 'rawValue' | 'rawBlock' | 'indent'>): string {
  const { rawValue, rawBlock } = field
  if (rawBlock === undefined) return decodeValue(rawValue)
  const written = rawBlock.slice(0, rawBlock.findLastIndex((line) => !isBlank(line)) + 1)
  const said = /[1-9]/.exec(rawValue)?.[0]
  const strip = said === undefined ? stripper(written) : columns(widthOf(field.indent) + Number(said))
  const lines = written.map((line) => textOf(strip(line)))
  return rawValue.startsWith('>') ? foldLines(lines) : lines.join('\n')
}

/** Returns a function that removes the common indentation. */
function stripper(lines: readonly RawText[]): (line: RawText) => RawText {
  let min = Number.POSITIVE_INFINITY
  for (const line of lines) if (!isBlank(line)) min = Math.min(min, indentOf(line))
  return (line) => line.slice(min)
}

function columns(width: number): (line: RawText) => RawText {
  return (line) => {
    let at = 0
    while (at < indentOf(line) && widthOf(line.slice(0, at)) < width) at++
    return line.slice(at)
  }
}

function indentOf(line: RawText): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0
}

/** Joins lines with spaces. An empty line becomes a line break. */
function foldLines(lines: readonly string[]): string {
  return lines
    .join('\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/\n/g, ' '))
    .join('\n')
}
