import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { findScriptImports } from './find-script-imports.ts'

/** A file that runs with a module or script. */
export interface ModuleFile {
  /** Absolute. Links are resolved if the file exists. */
  readonly path: string
  /** Absent if there is no such file. If it were created, it would run. */
  readonly sha256?: string
}

const maxFiles = 500
const maxFileSize = 32 * 1_024 * 1_024
const endings = ['', '.js', '.cjs', '.mjs', '.ts', '.cts', '.mts', '.json', '/index.js', '/index.ts']

/**
 * Returns a module or script and all local files that it runs, at any depth, itself first. `folders`: where it may run. Does not follow
 * packages. Returns `undefined` if it is unreadable, too large or runs too much.
 */
export function moduleFiles(
  module: string,
  folders: readonly string[] = [],
): readonly ModuleFile[] | undefined {
  const start = fileAt(module)
  if (start === undefined) return undefined
  // The search path of Python, for all of its files.
  const lookedIn = [path.dirname(start), ...folders]
  const files = new Map<string, ModuleFile>()
  const waiting = [start]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const file = fileAt(next)
    const at = file ?? next
    if (files.has(at)) continue
    if (files.size >= maxFiles) return undefined
    if (file === undefined) {
      const names = path.extname(at) === '' ? endings.map((ending) => at + ending) : [at]
      for (const name of names) files.set(name, { path: name })
      continue
    }
    const bytes = bytesOf(file)
    if (bytes === undefined) return undefined
    files.set(at, { path: at, sha256: createHash('sha256').update(bytes).digest('hex') })
    waiting.push(...findScriptImports(file, bytes.toString('utf8'), lookedIn))
  }
  return [...files.values()]
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return statSync(file).size > maxFileSize ? undefined : readFileSync(file)
  } catch {
    return undefined
  }
}

/** Resolves a specifier to a file. Older modules omit the extension. */
function fileAt(named: string): string | undefined {
  for (const ending of endings) {
    try {
      if (statSync(named + ending).isFile()) return realpathSync(named + ending)
    } catch {
      // Missing, or not a valid name.
    }
  }
  return undefined
}
