import type { Json } from '@cadre/core'
import type { Document, LineCounter, YAMLError } from 'yaml'
import type { Diagnostic } from './diagnostic.ts'
import { readSimpleYaml } from './simple-yaml.ts'
import { isTooDeep, yamlParser } from './yaml-parser.ts'

/** A value of a YAML file, and its line. */
export interface Located {
  readonly line: number
  readonly value: Json
  /** For a mapping: its keys, in order. */
  readonly fields?: ReadonlyMap<string, Located>
  /** For a list. */
  readonly items?: readonly Located[]
  /** True if the value is not valid YAML, and is the text as written. */
  readonly isLoose?: boolean
}

export interface LocatedRequest {
  readonly text: string
  readonly path: string
  /** The line of the file at which the text starts. */
  readonly firstLine?: number
  /** What to do with a duplicate key: reject the file, or use the first one. */
  readonly duplicates?: 'break' | 'first'
  /** Limits for generated files, which can be larger than handwritten ones. */
  readonly limits?: { readonly letters: number; readonly nodes: number }
}

export type ParsedYaml =
  | { readonly kind: 'read'; readonly root: Located }
  | { readonly kind: 'broken'; readonly diagnostics: readonly Diagnostic[] }

// Enough for any handwritten file. Nested aliases would expand without limit, and each takes a pass over the file.
const defaultLimits = { letters: 256 * 1_024, nodes: 20_000 }
const maxAliases = 100
const maxDepth = 100

/** Reads YAML strictly. Never evaluates anything: values other than text, numbers, lists and mappings become text. */
export function readYaml(request: LocatedRequest): ParsedYaml {
  const simple = readSimpleYaml(request.text, request.firstLine ?? 1)
  return simple === undefined ? readAnyYaml(request) : { kind: 'read', root: simple }
}

/** Like `readYaml`, but always uses the complete parser. */
export function readAnyYaml(request: LocatedRequest): ParsedYaml {
  const { path, firstLine = 1 } = request
  try {
    return read(request)
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error
    const message = 'This is too large, nested too deeply, or refers to itself. Simplify it.'
    return broken(path, firstLine, 'yaml-too-large', message)
  }
}

class LimitExceeded extends Error {}

function read({ text, path, firstLine = 1, duplicates, limits = defaultLimits }: LocatedRequest): ParsedYaml {
  if (text.length > limits.letters || isTooDeep(text)) throw new LimitExceeded()
  const yaml = yamlParser()
  const lineCounter = new yaml.LineCounter()
  const document = parse(text, lineCounter)
  const lineAt = (offset: number) => (lineCounter.linePos(offset).line || 1) + firstLine - 1
  if (document.errors.length > 0) {
    return {
      kind: 'broken',
      diagnostics: document.errors.slice(0, 5).map((error) => explain(error, path, lineAt(error.pos[0]))),
    }
  }
  const [warning] = document.warnings
  if (warning !== undefined) {
    return broken(
      path,
      lineAt(warning.pos[0]),
      'yaml-tag',
      'YAML tags are not supported here. Write the value without a tag.',
    )
  }
  let nodes = 0
  let aliases = 0
  const faults: Diagnostic[] = []
  const root = locate(document.contents, firstLine, 0)
  return faults.length === 0 ? { kind: 'read', root } : { kind: 'broken', diagnostics: faults.slice(0, 5) }

  function locate(node: unknown, nearby: number, depth: number): Located {
    if (++nodes > limits.nodes || depth > maxDepth) throw new LimitExceeded()
    if (!yaml.isNode(node)) return { line: nearby, value: null }
    const line = node.range ? lineAt(node.range[0]) : nearby
    if (yaml.isAlias(node)) {
      if (++aliases > maxAliases) throw new LimitExceeded()
      const target = node.resolve(document)
      if (target === undefined) faults.push({ path, line, severity: 'error', ...aliasOfNothing })
      return locate(target, line, depth + 1)
    }
    if (yaml.isMap(node)) {
      const fields = new Map<string, Located>()
      for (const { key, value } of node.items) {
        const keyLine = yaml.isNode(key) && key.range ? lineAt(key.range[0]) : line
        // Use the key's line, even if the value starts further down.
        const field = { ...locate(value, keyLine, depth + 1), line: keyLine }
        // `: x` has an empty key, not the word `null`.
        const name = yaml.isScalar(key) ? String(key.value ?? key.source ?? '') : String(key ?? '')
        if (!fields.has(name)) fields.set(name, field)
        else if (duplicates !== 'first')
          faults.push({ path, line: keyLine, severity: 'error', ...duplicateKeyMessage })
      }
      return {
        line,
        fields,
        value: Object.fromEntries([...fields].map(([key, field]) => [key, field.value])),
      }
    }
    if (yaml.isSeq(node)) {
      const items = node.items.map((item) => locate(item, line, depth + 1))
      return { line, items, value: items.map((item) => item.value) }
    }
    return { line, value: scalarOf(yaml.isScalar(node) ? node.value : null) }
  }
}

/** Each mistake in the text creates an error, and most of its cost is the stack trace. */
function parse(text: string, lineCounter: LineCounter): Document.Parsed {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return yamlParser().parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      schema: 'core',
      merge: false,
      // Checked below, because the parser compares every key with every other.
      uniqueKeys: false,
    })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function scalarOf(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  return String(value)
}

const duplicateKeyMessage = {
  code: 'yaml-duplicate-key',
  message: 'This key is defined twice.',
  fix: 'Remove one of them.',
}

const aliasOfNothing = {
  code: 'yaml-bad-alias',
  message: 'This value begins with *, which YAML reads as an alias.',
  fix: 'Put it in quotes.',
}

const errorMessages: { readonly [code: string]: { readonly message: string; readonly fix: string } } = {
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'This value contains ": ", which YAML reads as a nested mapping.',
    fix: 'Put the value in quotes.',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'This line is neither a key nor part of a value.',
    fix: 'Indent it, or put the value in quotes.',
  },
  BAD_ALIAS: aliasOfNothing,
  TAB_AS_INDENT: { message: 'This line is indented with a tab.', fix: 'Use spaces.' },
}

function explain(error: YAMLError, path: string, line: number): Diagnostic {
  const known = errorMessages[error.code]
  const code = `yaml-${error.code.toLowerCase().replaceAll('_', '-')}`
  if (known !== undefined) return { path, line, severity: 'error', ...known, code }
  return { path, line, severity: 'error', code, message: `This is not valid YAML: ${error.message}.` }
}

function broken(path: string, line: number, code: string, message: string): ParsedYaml {
  return { kind: 'broken', diagnostics: [{ path, line, severity: 'error', code, message }] }
}
