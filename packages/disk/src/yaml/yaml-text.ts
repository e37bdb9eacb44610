/// <reference lib="es2024.string" />

import type { Json } from '@cadre/core'
import { isPlain, quoted, scalar } from './scalar.ts'

export interface YamlOptions {
  /** True to write multi-line text as a block. Not every host supports blocks in Markdown headers. */
  readonly blocks: boolean
}

/** Characters that a YAML parser or a header parser might not read as text. */
const hostile = /[\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]|---/u
const maxLineLength = 100

/**
 * Writes keys and values as YAML that every known parser reads the same way. Quotes text that any YAML version reads as a number, a date or
 * a boolean. Never writes three dashes, because some parsers end a header there.
 */
export function yamlText(entries: readonly (readonly [string, Json])[], options: YamlOptions): string {
  return entries.map(([key, value]) => `${keyText(key)}:${valueText(value, '', options)}`).join('')
}

/** The text after the colon of a key with this indentation, including the line ending. */
function valueText(value: Json, pad: string, options: YamlOptions): string {
  if (typeof value === 'string') return ` ${text(value, `${pad}  `, options)}\n`
  if (typeof value !== 'object' || value === null) return ` ${value}\n`
  const line = flowText(value)
  if (line !== undefined && pad.length + line.length <= maxLineLength) return ` ${line}\n`
  if (isList(value)) return `\n${value.map((item) => `${pad}  -${itemText(item, pad, options)}`).join('')}`
  const inner = `${pad}  `
  const fields = Object.entries(value).map(
    ([key, field]) => `${inner}${keyText(key)}:${valueText(field, inner, options)}`,
  )
  return `\n${fields.join('')}`
}

/** The text after the dash of an item. A mapping starts on the line of the dash. */
function itemText(item: Json, pad: string, options: YamlOptions): string {
  const inner = `${pad}    `
  if (typeof item !== 'object' || item === null || isList(item)) return valueText(item, `${pad}  `, options)
  const fields = Object.entries(item).map(
    ([key, field]) => `${keyText(key)}:${valueText(field, inner, options)}`,
  )
  return fields.length === 0 ? ' {}\n' : ` ${fields.join(inner)}`
}

/** Writes a list of words or an empty value on one line. Returns `undefined` for anything else. */
function flowText(value: readonly Json[] | { readonly [key: string]: Json }): string | undefined {
  if (!isList(value)) return Object.keys(value).length === 0 ? '{}' : undefined
  const parts = value.map((item) =>
    typeof item === 'string'
      ? /^[\w./-]+$/.test(item) && isPlain(item) && !hostile.test(item)
        ? item
        : quotes(item)
      : typeof item !== 'object' || item === null
        ? String(item)
        : undefined,
  )
  return parts.every((part) => part !== undefined) ? `[${parts.join(', ')}]` : undefined
}

function text(value: string, pad: string, { blocks }: YamlOptions): string {
  if (value.includes('\n') && blocks && value.isWellFormed()) return scalar(value, pad)
  return isPlain(value) && !hostile.test(value) ? value : quotes(value)
}

function quotes(value: string): string {
  if (hostile.test(value)) return quoted(value).replaceAll('---', '--\\u002d')
  if (!value.includes("'")) return `'${value}'`
  return /["\\]/.test(value) ? quoted(value) : `"${value}"`
}

function keyText(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) && isPlain(key) && !hostile.test(key) ? key : quotes(key)
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
