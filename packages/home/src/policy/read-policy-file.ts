import { isObject, type Json, type JsonObject } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import { type FileKind, readConfigFile } from '../config/read-config-file.ts'
import { joinDottedKeys } from './join-dotted-keys.ts'
import { policyShape } from './policy-shape.ts'

/** The owner of a policy, the highest level first. */
export type PolicyLevel = 'organisation' | 'user' | 'project'

export interface PolicyFile {
  readonly level: PolicyLevel
  readonly path: string
  /** Returns the value of a key by its full name, such as `limits.budget.tokens`, or `undefined`. */
  readonly get: (key: string) => Json | undefined
  /** `path:line` of a key. */
  readonly placeOf: (key: string) => string
  readonly diagnostics: readonly Diagnostic[]
  readonly sha256: () => string
}

const kind: FileKind = {
  name: 'policy',
  shape: policyShape,
  prepare: (root, path) => joinDottedKeys(root, policyShape, path),
}

/** Reads an existing file. An unreadable file or a broken link is an error, and never counts as no policy. */
export function readPolicyFile(level: PolicyLevel, path: string): PolicyFile {
  const read = readConfigFile(path, kind)
  if (read === undefined) {
    const message = 'The policy is a broken symbolic link.'
    const diagnostic: Diagnostic = { path, severity: 'error', code: 'file-unreadable', message }
    return brokenPolicyFile(level, diagnostic)
  }
  return {
    level,
    path,
    get: (key) => valueAt(read.value, key.split('.')),
    placeOf: (key) => `${path}:${read.lineOf(key)}`,
    diagnostics: read.diagnostics,
    sha256: read.sha256,
  }
}

/** Creates a policy file that only has this error. */
export function brokenPolicyFile(level: PolicyLevel, diagnostic: Diagnostic): PolicyFile {
  const { path } = diagnostic
  const diagnostics = [diagnostic]
  return { level, path, get: () => undefined, placeOf: () => path, diagnostics, sha256: () => '' }
}

function valueAt(root: JsonObject, names: readonly string[]): Json | undefined {
  let at: Json | undefined = root
  for (const name of names) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}
