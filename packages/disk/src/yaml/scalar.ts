/// <reference lib="es2024.string" />

/**
 * Writes strings and values as YAML that every parser reads back unchanged. Text that a known parser gets wrong (whitespace-only last
 * lines, control characters, Unicode line endings) is double-quoted.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: YAML does not allow these characters unescaped.
const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/
/** Characters that `JSON.stringify` does not escape, but YAML must. */
const leftByJson = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g
const beyondPlain = /[\t\n:#]/
/** Words that some YAML version does not read as text. */
const words = new Set(['true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n', 'null'])
const maxWordLength = 5

/**
 * Writes a string as a YAML value after `key: `, without a line ending. `pad`: the indentation of block content, two more than the key's.
 */
export function scalar(value: string, pad: string): string {
  const text = value.isWellFormed() ? value : value.toWellFormed()
  if (unprintable.test(text)) return quoted(text)
  if (!text.includes('\n')) return oneLine(text)
  return endsInBlankLine(text) ? quoted(text) : block(text, pad)
}

/** Returns whether the text can be a plain scalar. Writer and reader both use this, so that they agree. */
export function isPlain(text: string): boolean {
  const first = text.charCodeAt(0) | 32
  if (first < 97 || first > 122 || text.charCodeAt(text.length - 1) === 32 || beyondPlain.test(text))
    return false
  return text.length > maxWordLength || !words.has(text.toLowerCase())
}

/** Writes a JSON value on one line, as flow YAML that is also JSON. */
export function flow(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null'
  // JSON.stringify writes a lone surrogate as an escape; parsers written in C refuse those.
  return (json.includes('\\ud') ? JSON.stringify(wellFormed(value)) : json).replace(
    leftByJson,
    escapeCharacter,
  )
}

/** Writes text in double quotes, with all escapes that YAML needs. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(leftByJson, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function oneLine(text: string): string {
  if (isPlain(text)) return text
  if (!text.includes("'")) return `'${text}'`
  if (!text.includes('"') && !text.includes('\\') && !text.includes('\t')) return `"${text}"`
  return `'${text.replaceAll("'", "''")}'`
}

/** In block scalars, parsers lose trailing blank lines with spaces, and text that is only white space. */
function endsInBlankLine(text: string): boolean {
  let at = text.length - 1
  let spaceBelow = false
  for (; at >= 0; at--) {
    const code = text.charCodeAt(at)
    if (code === 10) {
      if (spaceBelow) return true
    } else if (code === 32 || code === 9) spaceBelow = true
    else return false
  }
  return true
}

function block(text: string, pad: string): string {
  const first = text.charCodeAt(0)
  const indicator = first === 32 || first === 10 || first === 9 ? '2' : ''
  const ends = text.charCodeAt(text.length - 1) === 10
  const keeps = ends && text.charCodeAt(text.length - 2) === 10
  const body = ends ? text.slice(0, -1) : text
  const lead = first === 10 ? '' : pad
  return `|${indicator}${keeps ? '+' : ends ? '' : '-'}\n${lead}${body.replace(/\n(?!\n|$)/g, `\n${pad}`)}`
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([key, field]) => [key.toWellFormed(), wellFormed(field)])
  return Object.fromEntries(fields)
}
