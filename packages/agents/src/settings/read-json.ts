import type { Json } from '@cadre/core'
import type { Diagnostic, Located } from '@cadre/disk'
import type { Node, ParseError } from 'jsonc-parser'
import { jsonParser } from './json-parser.ts'

export interface ParsedJson {
  /** Absent if the text contains no value. */
  readonly root?: Located
  readonly diagnostics: readonly Diagnostic[]
  /**
   * True if a value was complete before the first syntax error. The rest is guessed: a missing bracket can put the next key
   * into a list of names.
   */
  isWhole(value: Located): boolean
}

// As for YAML: enough for any hand-written file.
const maxLength = 4 * 1_024 * 1_024
const maxNodes = 200_000
const maxDepth = 100
const maxFaults = 5

/** If one of these occurs twice, it is unknown which one was intended to restrict. */
const restrictions = new Set(['toolPermissions', 'delegationPermissions', 'type', 'tools'])

/** Reads JSON with comments and trailing commas, as editors write it. Never throws. */
export function readJson({ path, text }: { readonly path: string; readonly text: string }): ParsedJson {
  try {
    return read(path, text)
  } catch (error) {
    // Extremely deep nesting overflows the stack of the parser.
    if (!(error instanceof LimitExceeded || error instanceof RangeError)) throw error
    return {
      diagnostics: [
        fault(path, 1, 'json-too-large', 'This file is too large or nested too deeply for settings.'),
      ],
      isWhole: () => false,
    }
  }
}

class LimitExceeded extends Error {}

function read(path: string, written: string): ParsedJson {
  if (written.length > maxLength) throw new LimitExceeded()
  const text = written.replace(/^\ufeff/, '')
  const faults: ParseError[] = []
  const tree = jsonParser().parseTree(text, faults, { allowTrailingComma: true })
  const lineAt = lineCounter(text)
  const firstFault = faults[0]?.offset ?? Number.POSITIVE_INFINITY
  const whole = new WeakSet<Located>()
  const twice: Diagnostic[] = []
  let nodes = 0
  const root = tree === undefined ? undefined : locate(tree, 0)
  return {
    ...(root !== undefined && { root }),
    diagnostics: [...faults.slice(0, maxFaults).map((found) => explain(found, path, lineAt)), ...twice],
    isWhole: (value) => whole.has(value),
  }

  function locate(node: Node, depth: number, line = lineAt(node.offset)): Located {
    if (++nodes > maxNodes || depth > maxDepth) throw new LimitExceeded()
    const located = { line, ...contentOf(node, depth) }
    if (node.offset + node.length <= firstFault) whole.add(located)
    return located
  }

  function contentOf(node: Node, depth: number): Omit<Located, 'line'> {
    if (node.type === 'array') {
      const items = (node.children ?? []).map((child) => locate(child, depth + 1))
      return { items, value: items.map((item) => item.value) }
    }
    if (node.type !== 'object') return { value: scalarOf(node.value) }
    const fields = new Map<string, Located>()
    for (const property of node.children ?? []) {
      const [key, value] = property.children ?? []
      if (key === undefined || value === undefined) continue
      const name = String(key.value)
      const isUnclear = fields.has(name) && restrictions.has(name)
      const rule = isUnclear ? 'so it permits nothing' : 'and the last one applies'
      if (fields.has(name))
        twice.push({
          path,
          line: lineAt(key.offset),
          severity: 'warning',
          code: 'json-duplicate-key',
          message: `${JSON.stringify(name.slice(0, 80))} is defined twice, ${rule}.`,
          fix: 'Remove one of them.',
        })
      // Uses the line of the key, even if the value starts on a later line.
      const located = locate(value, depth + 1, lineAt(key.offset))
      fields.set(name, isUnclear ? { line: located.line, value: null } : located)
    }
    return { fields, value: objectOf(fields) }
  }
}

/** Uses own keys only: `__proto__` in a file is an ordinary name. */
export function objectOf(fields: ReadonlyMap<string, Located>): { readonly [key: string]: Json } {
  return Object.fromEntries([...fields].map(([key, field]) => [key, field.value]))
}

function scalarOf(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  return typeof value === 'number' && Number.isFinite(value) ? value : String(value)
}

const errorMessages: { readonly [code: number]: string } = {
  3: 'Expected a key in quotes.',
  4: 'Expected a value.',
  5: 'Expected a colon.',
  6: 'Expected a comma.',
  7: 'Expected } at the end of an object.',
  8: 'Expected ] at the end of a list.',
  9: 'Unexpected text after the end.',
  11: 'Expected */ at the end of a comment.',
  12: 'Expected a closing quote on the same line.',
}

function explain(found: ParseError, path: string, lineAt: (offset: number) => number): Diagnostic {
  const saying = errorMessages[found.error] ?? 'Expected a string, a number, true, false or null.'
  return fault(path, lineAt(found.offset), 'json-broken', `This is not valid JSON: ${saying}`)
}

function fault(path: string, line: number, code: string, message: string): Diagnostic {
  return { path, line, severity: 'error', code, message }
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] as number) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
