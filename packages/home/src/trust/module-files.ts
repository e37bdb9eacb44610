import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { importsIn } from './imports-in.ts'

/** A file that is run with a module or script. */
export interface ModuleFile {
  /** Absolute, with links followed where it exists. */
  readonly path: string
  /** Absent when there is no such file: who puts one there would have it run. */
  readonly sha256?: string
}

const mostFiles = 500
const largestFile = 32 * 1_024 * 1_024
const endings = ['', '.js', '.cjs', '.mjs', '.ts', '.cts', '.mts', '.json', '/index.js', '/index.ts']

/**
 * A module or script and every file beside it that it runs, however deep, itself first; `folders` are those it may be run
 * in. Packages are not followed. `undefined` when it cannot be read, is huge or runs too much.
 */
export function moduleFiles(
  module: string,
  folders: readonly string[] = [],
): readonly ModuleFile[] | undefined {
  const start = fileAt(module)
  if (start === undefined) return undefined
  // Where Python looks, whichever of its files asks.
  const lookedIn = [path.dirname(start), ...folders]
  const files = new Map<string, ModuleFile>()
  const waiting = [start]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const file = fileAt(next)
    const at = file ?? next
    if (files.has(at)) continue
    if (files.size >= mostFiles) return undefined
    if (file === undefined) {
      const names = path.extname(at) === '' ? endings.map((ending) => at + ending) : [at]
      for (const name of names) files.set(name, { path: name })
      continue
    }
    const bytes = bytesOf(file)
    if (bytes === undefined) return undefined
    files.set(at, { path: at, sha256: createHash('sha256').update(bytes).digest('hex') })
    waiting.push(...importsIn(file, bytes.toString('utf8'), lookedIn))
  }
  return [...files.values()]
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return statSync(file).size > largestFile ? undefined : readFileSync(file)
  } catch {
    return undefined
  }
}

/** The file a specifier means: older modules leave out its ending. */
function fileAt(named: string): string | undefined {
  for (const ending of endings) {
    try {
      if (statSync(named + ending).isFile()) return realpathSync(named + ending)
    } catch {
      // Not there, or nothing that could be named so.
    }
  }
  return undefined
}
