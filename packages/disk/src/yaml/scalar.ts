/// <reference lib="es2024.string" />

/**
 * How strings and values are written in a journal: YAML that every parser reads back to the same text. What any known
 * parser gets wrong (whitespace-only last lines, control characters, Unicode line ends) goes into double quotes.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that may not stand in YAML as they are.
const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/
/** What `JSON.stringify` leaves as it is and YAML does not. */
const leftByJson = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g
const beyondPlain = /[\t\n:#]/
/** Words that some YAML version reads as something else than text. */
const words = new Set(['true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n', 'null'])
const longestWord = 5

/**
 * A string as a YAML value behind `key: `, without the line's end.
 * `pad` is the indentation of block content: that of the key and two more.
 */
export function scalar(value: string, pad: string): string {
  const text = value.isWellFormed() ? value : value.toWellFormed()
  if (unprintable.test(text)) return quoted(text)
  if (!text.includes('\n')) return oneLine(text)
  return endsInBlankLine(text) ? quoted(text) : block(text, pad)
}

/** Whether the text stands for itself as a plain scalar. Both writer and reader ask, so that they agree. */
export function isPlain(text: string): boolean {
  const first = text.charCodeAt(0) | 32
  if (first < 97 || first > 122 || text.charCodeAt(text.length - 1) === 32 || beyondPlain.test(text))
    return false
  return text.length > longestWord || !words.has(text.toLowerCase())
}

/** Any JSON value on one line: flow YAML that is JSON as well. */
export function flow(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null'
  // JSON.stringify writes a lone surrogate as an escape; parsers written in C refuse those.
  return (json.includes('\\ud') ? JSON.stringify(wellFormed(value)) : json).replace(leftByJson, escaped)
}

/** In double quotes, with an escape for everything that YAML does not hold as it is. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(leftByJson, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function oneLine(text: string): string {
  if (isPlain(text)) return text
  if (!text.includes("'")) return `'${text}'`
  if (!text.includes('"') && !text.includes('\\') && !text.includes('\t')) return `"${text}"`
  return `'${text.replaceAll("'", "''")}'`
}

/** Blank lines with spaces at the end are lost by parsers in block scalars; so is text that is nothing but space. */
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
