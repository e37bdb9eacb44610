/// <reference lib="es2024.string" />

import type { Json } from '@cadre/core'
import { isPlain, quoted, scalar } from './scalar.ts'

export interface YamlOptions {
  /** Whether text of several lines is written as a block. Not every host of Markdown headers reads those. */
  readonly blocks: boolean
}

/** Everything that a parser, or the splitting of a header, could take for something else than text. */
const hostile = /[\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]|---/u
const longestLine = 100

/**
 * Keys and values as YAML that every known reader takes for the same. Text that any YAML version reads as a number, a
 * date or a yes is in quotes; three dashes never appear, because some readers end a header at the first ones.
 */
export function yamlText(entries: readonly (readonly [string, Json])[], options: YamlOptions): string {
  return entries.map(([key, value]) => `${keyText(key)}:${valueText(value, '', options)}`).join('')
}

/** What follows the colon of a key with this indentation, the end of the line included. */
function valueText(value: Json, pad: string, options: YamlOptions): string {
  if (typeof value === 'string') return ` ${text(value, `${pad}  `, options)}\n`
  if (typeof value !== 'object' || value === null) return ` ${value}\n`
  const line = flowText(value)
  if (line !== undefined && pad.length + line.length <= longestLine) return ` ${line}\n`
  if (isList(value)) return `\n${value.map((item) => `${pad}  -${itemText(item, pad, options)}`).join('')}`
  const inner = `${pad}  `
  const fields = Object.entries(value).map(
    ([key, field]) => `${inner}${keyText(key)}:${valueText(field, inner, options)}`,
  )
  return `\n${fields.join('')}`
}

/** What follows the dash of an item. A mapping begins on the line of the dash. */
function itemText(item: Json, pad: string, options: YamlOptions): string {
  const inner = `${pad}    `
  if (typeof item !== 'object' || item === null || isList(item)) return valueText(item, `${pad}  `, options)
  const fields = Object.entries(item).map(
    ([key, field]) => `${keyText(key)}:${valueText(field, inner, options)}`,
  )
  return fields.length === 0 ? ' {}\n' : ` ${fields.join(inner)}`
}

/** A list of words, or something empty, on one line; `undefined` for anything else. */
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
