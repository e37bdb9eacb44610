import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { type JsonObject, sentenceOf } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import { type Located, readYaml } from '@cadre/disk'
import { checkShape } from './check-shape.ts'
import { configShape, type ValueShape } from './config-shape.ts'

export interface ConfigFile {
  readonly path: string
  readonly value: JsonObject
  /** The line of every key, by its full name: `openai.baseUrl`. */
  readonly lineOf: (key: string) => number
  /** Like `lineOf`, with the keys from the outermost to the innermost. */
  readonly lineAt: (keys: readonly string[]) => number
  readonly diagnostics: readonly Diagnostic[]
  /** The hash of the bytes that were read, to which trust is bound. */
  readonly sha256: () => string
}

const maxBytes = 1_000_000

/** What kind of file it is. */
export interface FileKind {
  readonly name: 'configuration' | 'policy'
  readonly shape: ValueShape
  /** Converts other spellings to the form of the shape. */
  readonly prepare?: (
    root: Located,
    path: string,
  ) => { readonly root: Located; readonly diagnostics: readonly Diagnostic[] }
}

const configuration: FileKind = { name: 'configuration', shape: configShape }

/** Returns all errors in the text of a configuration. */
export function checkConfigText(text: string, path: string): readonly Diagnostic[] {
  const read = readYaml({ text: text.replace(/^\ufeff/, ''), path })
  if (read.kind === 'broken') return read.diagnostics
  return read.root.value === null ? [] : checkShape(read.root, configShape, path)
}

/** Reads one file, or returns `undefined` if there is none. Loads the parser only if the file exists. */
export function readConfigFile(path: string, kind: FileKind = configuration): ConfigFile | undefined {
  const failed = (code: string, message: string): ConfigFile => ({
    path,
    value: {},
    lineOf: () => 1,
    lineAt: () => 1,
    diagnostics: [{ path, line: 1, severity: 'error', code, message }],
    sha256,
  })
  let bytes = Buffer.alloc(0)
  const sha256 = () => createHash('sha256').update(bytes).digest('hex')
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    if (!stats.isFile() || stats.size > maxBytes)
      return failed('file-unusable', `The ${kind.name} must be a regular file of at most 1 MB.`)
    bytes = readFileSync(path)
  } catch (error) {
    return failed('file-unreadable', `Cannot read the ${kind.name}: ${sentenceOf(error)}`)
  }
  const text = bytes.toString('utf8')
  const read = readYaml({ text: text.replace(/^\ufeff/, ''), path })
  if (read.kind === 'broken') return { ...failed('', ''), diagnostics: read.diagnostics }
  if (read.root.value === null)
    return { path, value: {}, lineOf: () => 1, lineAt: () => 1, diagnostics: [], sha256 }
  const prepared = kind.prepare?.(read.root, path)
  const root = prepared?.root ?? read.root
  const diagnostics = [...(prepared?.diagnostics ?? []), ...checkShape(root, kind.shape, path, kind.name)]
  return {
    path,
    value: (diagnostics.length === 0 ? root.value : {}) as JsonObject,
    lineOf: (key) => lineOf(root, key.split('.')),
    lineAt: (keys) => lineOf(root, keys),
    diagnostics,
    sha256,
  }
}

function lineOf(root: Located, keys: readonly string[]): number {
  let at: Located | undefined = root
  for (const name of keys) at = at?.fields?.get(name) ?? at?.items?.[Number(name)]
  return at?.line ?? root.line
}
