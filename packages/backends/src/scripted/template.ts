import { didYouMean } from '@cadre/core'
import type { Field } from '../field.ts'
import type { RequestView } from './request-view.ts'

/** A constant, or a function of the request. Most values are constants. */
export type TemplateValue<T> = { readonly constant: T } | { readonly of: (asked: RequestView) => T }

export function fillTemplate<T>(filled: TemplateValue<T>, asked: RequestView): T {
  return 'constant' in filled ? filled.constant : filled.of(asked)
}

const values: { readonly [name: string]: (asked: RequestView) => string | number } = {
  last: (asked) => asked.last,
  work: (asked) => asked.work,
  round: (asked) => asked.request.round,
  agent: (asked) => asked.request.agent,
  session: (asked) => asked.request.session,
  call: (asked) => asked.call,
}
const names = [...Object.keys(values), 'result N', 'found N']

// Only `{{word}}` and `{{word 1}}` are templates: `{{ .Values.x }}` is ordinary text. A backslash escapes one.
const template = /(\\?)\{\{\s*([A-Za-z]+)(?:\s+(\d+))?\s*\}\}/g

export function compileText(text: string, field: Field): TemplateValue<string> {
  const pieces: (string | ((asked: RequestView) => string | number))[] = []
  let end = 0
  for (const match of text.matchAll(template)) {
    const [whole, backslash, name = '', number] = match
    pieces.push(text.slice(end, match.index))
    pieces.push(backslash === '\\' ? whole.slice(1) : namedValue(name, number, field))
    end = match.index + whole.length
  }
  pieces.push(text.slice(end))
  if (pieces.every((piece) => typeof piece === 'string')) return { constant: pieces.join('') }
  return { of: (asked) => pieces.map((piece) => (typeof piece === 'string' ? piece : piece(asked))).join('') }
}

/** Any JSON value with templates in its strings. `{{round}}` and `{{call}}` alone in a string are numbers. */
export function compileValue(value: unknown, field: Field): TemplateValue<unknown> {
  if (typeof value === 'string') {
    const alone = /^\{\{\s*(round|call)\s*\}\}$/.exec(value)?.[1]
    const number = alone === undefined ? undefined : values[alone]
    return number === undefined ? compileText(value, field) : { of: number }
  }
  if (typeof value !== 'object' || value === null) return { constant: value }
  const entries = Object.entries(value).map(([key, item]) => [key, compileValue(item, field)] as const)
  if (entries.every(([, item]) => 'constant' in item)) {
    const made = entries.map(([key, item]) => [key, 'constant' in item ? item.constant : undefined])
    return { constant: Array.isArray(value) ? made.map(([, item]) => item) : Object.fromEntries(made) }
  }
  const make = (asked: RequestView) => entries.map(([key, item]) => [key, fillTemplate(item, asked)])
  if (Array.isArray(value)) return { of: (asked) => make(asked).map(([, item]) => item) }
  return { of: (asked) => Object.fromEntries(make(asked)) }
}

function namedValue(
  name: string,
  number: string | undefined,
  field: Field,
): (asked: RequestView) => string | number {
  if (name === 'result') {
    if (number === undefined || number === '0')
      return field.fail('{{result N}} needs a number of at least 1, for example {{result 1}}.')
    return (asked) => asked.result(Number(number))
  }
  if (name === 'found') return (asked) => asked.foundGroup(Number(number ?? 0))
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined || number !== undefined) {
    const hint = didYouMean(name, names) || `. Known names: ${names.join(', ')}.`
    return field.fail(
      `{{${name}${number === undefined ? '' : ` ${number}`}}} is unknown${hint} To write it as text, use \\{{.`,
    )
  }
  return value
}
