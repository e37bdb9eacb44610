import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, type JsonObject } from '@cadre/core'
import type { Document, Pair, YAMLMap } from 'yaml'
import { readAnyYaml } from './located.ts'
import { flow, isPlain, quoted, scalar } from './scalar.ts'
import { isTooDeep, yamlParser } from './yaml-parser.ts'

export interface SettingUpdate {
  /** The path of the file, for messages. */
  readonly path: string
  /** From the outermost key to the innermost. */
  readonly keys: readonly string[]
  readonly value: Json
}

export type ChangedText =
  | { readonly kind: 'changed'; readonly text: string }
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Sets one key in a YAML file: replaces its value, or adds the key to the end of its mapping. Keeps the rest of the file, including comments.
 * Refuses if the result would mean anything else.
 */
export function setSetting(text: string, { path, keys, value }: SettingUpdate): ChangedText {
  const before = readValue(text, path)
  if ('reason' in before) return { kind: 'refused', reason: before.reason }
  const wanted = withValue(before.value, keys, value)
  if (isDeepStrictEqual(wanted, before.value)) return { kind: 'same' }
  const changed = edit(text, keys, value)
  const after = changed === undefined ? undefined : readValue(changed, path)
  if (
    changed === undefined ||
    after === undefined ||
    'reason' in after ||
    !isDeepStrictEqual(after.value, wanted)
  )
    return {
      kind: 'refused',
      reason: `${path}: Cadre cannot change ${keys.join('.')} without rewriting other parts of the file. Edit the file yourself.`,
    }
  return { kind: 'changed', text: changed }
}

function readValue(text: string, path: string): { readonly value: JsonObject } | { readonly reason: string } {
  if (text.replace(/^\ufeff/, '').trim() === '') return { value: {} }
  const read = readAnyYaml({ text, path })
  if (read.kind === 'broken') {
    const [first] = read.diagnostics
    return { reason: `${path}:${first?.line ?? 1}: ${first?.message ?? 'This is not valid YAML.'}` }
  }
  const { value } = read.root
  if (value === null) return { value: {} }
  return isObject(value) ? { value } : { reason: `${path}: this file must contain keys and values.` }
}

function withValue(before: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  const inner = before[key]
  return {
    ...before,
    [key]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value),
  }
}

function edit(text: string, keys: readonly string[], value: Json): string | undefined {
  if (isTooDeep(text)) return undefined
  const yaml = yamlParser()
  const document: Document = yaml.parseDocument(text)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  if (!yaml.isMap(document.contents)) return append(text, text.length, entry(keys, value, '', eol), eol)
  let map: YAMLMap = document.contents
  let indent = ''
  for (const [depth, key] of keys.entries()) {
    const pair = map.items.find((item) => yaml.isScalar(item.key) && String(item.key.value) === key)
    const rest = keys.slice(depth)
    if (pair === undefined) return addTo(map, rest, indent)
    if (rest.length > 1 && yaml.isMap(pair.value)) {
      map = pair.value
      indent = map.flow ? indent : indentOf(map, text)
      continue
    }
    return replace(pair, rest.slice(1))
  }
  return undefined

  /** Replaces the value and keeps the rest of the line. */
  function replace(pair: Pair, below: readonly string[]): string | undefined {
    const node = pair.value
    const written = below.length === 0 ? flowText(value) : flowText(nested(below, value))
    if (!yaml.isNode(node) || !node.range) return undefined
    const [start] = node.range
    // The range of a list or mapping over several lines includes the last line end.
    const end = start + text.slice(start, node.range[1]).trimEnd().length
    // An empty value has no range, so insert after the colon.
    if (start === end) return `${text.slice(0, start)} ${written}${text.slice(start)}`
    return text.slice(0, start) + written + text.slice(end)
  }

  function addTo(at: YAMLMap, rest: readonly string[], pad: string): string | undefined {
    const end = at.range?.[1]
    if (end === undefined) return undefined
    if (!at.flow) return append(text, end, entry(rest, value, pad, eol), eol)
    const [first = '', ...below] = rest
    const close = text.lastIndexOf('}', end)
    const added = `${keyText(first)}: ${flowText(below.length === 0 ? value : nested(below, value))}`
    const head = text.slice(0, close).trimEnd()
    const comma = at.items.length === 0 || head.endsWith(',') ? ' ' : ', '
    return `${head}${comma}${added} ${text.slice(close)}`
  }
}

/** Inserts after the last line of a mapping, before blank lines and comments. */
function append(text: string, end: number, lines: string, eol: string): string {
  const head = text.slice(0, end).replace(/[ \t\r\n]+$/, '')
  const rest = text.slice(head.length)
  if (head === '') return `${text}${text === '' || text.endsWith('\n') ? '' : eol}${lines}${eol}`
  const lineEnd = rest.search(/\r?\n/)
  if (lineEnd < 0) return `${head}${rest}${eol}${lines}${eol}`
  const at = head.length + lineEnd
  return `${text.slice(0, at)}${eol}${lines}${text.slice(at)}`
}

function entry(keys: readonly string[], value: Json, pad: string, eol: string): string {
  const [key = '', ...rest] = keys
  if (rest.length > 0) return `${pad}${keyText(key)}:${eol}${entry(rest, value, `${pad}  `, eol)}`
  return `${pad}${keyText(key)}: ${flowText(value)}`
}

function nested(keys: readonly string[], value: Json): JsonObject {
  const [key = '', ...rest] = keys
  return { [key]: rest.length === 0 ? value : nested(rest, value) }
}

function indentOf(map: YAMLMap, text: string): string {
  const start = map.range?.[0] ?? 0
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
}

function keyText(key: string): string {
  return /^[\w./-]+$/.test(key) && isPlain(key) ? key : quoted(key)
}

/** On one line, and valid in flow style. */
function flowText(value: Json): string {
  return typeof value === 'string' && /^[\w./-]+$/.test(value) && !value.includes('\n')
    ? scalar(value, '')
    : flow(value)
}
