import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { entryAt } from '@cadre/disk'
import type { PathResolver, ResolvedPath } from '../paths/path-resolver.ts'

export interface ServerCallRequest {
  readonly input: unknown
  readonly workspace: string
  readonly userHome: string
  /** False for a tool that only reads. */
  readonly write: boolean
}

export interface ServerCallPath {
  /** As the model wrote it. */
  readonly path: string
  readonly placed: Exclude<ResolvedPath, { kind: 'inside' }>
}

const maxTexts = 1_000
const maxValues = 20_000
const maxPathLength = 4_096

/**
 * Returns the arguments of a call to an MCP server that name a protected file, or one outside the workspace. Nobody knows which arguments
 * of such a tool are paths, so every text counts that could be one: protected names anywhere, and other places if they exist.
 */
export function pathsInServerCall(
  { input, workspace, userHome, write }: ServerCallRequest,
  places: Pick<PathResolver, 'judge'>,
): readonly ServerCallPath[] {
  return textsIn(input).texts.flatMap((text): ServerCallPath[] => {
    const named = pathOf(text, userHome)
    if (named === undefined) return []
    // The server may start in another folder than the workspace.
    const candidates = path.isAbsolute(named) ? [named] : [named, path.join(userHome, named)]
    for (const [at, candidate] of candidates.entries()) {
      const placed = places.judge({ path: candidate, workspace, write })
      if (placed.kind === 'protected') return [{ path: text, placed }]
      if (placed.kind !== 'outside') continue
      // A word or `.` rarely means a path in another folder.
      const isPlain = at > 0 && !/[\\/.]./.test(named)
      if (!isPlain && mayExist(placed.real, at > 0)) return [{ path: text, placed }]
    }
    return []
  })
}

export interface TextsOfCall {
  readonly texts: readonly string[]
  /** False: there are more, so the call can name any path. */
  readonly isComplete: boolean
}

/** All texts that the call names a path with, for rules about single paths. Never recurses: the input can have any depth. */
export function textsIn(input: unknown): TextsOfCall {
  const found = new Set<string>()
  const values = [input]
  for (let at = 0; at < values.length; at++) {
    if (found.size > maxTexts || at > maxValues) return { texts: [...found], isComplete: false }
    const value = values[at]
    if (typeof value === 'string') {
      // A server may remove `./` and spaces before it opens the file.
      const text = value.length > maxPathLength ? path.normalize(value) : value.trim()
      if (text !== '' && text.length <= maxPathLength && !/[\0\r\n]/.test(text)) found.add(text)
    } else if (Array.isArray(value)) for (const item of value) values.push(item)
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) values.push(key, item)
  }
  return { texts: [...found], isComplete: true }
}

/** The path that a text names, as a program might read it. */
function pathOf(text: string, userHome: string): string | undefined {
  if (/^file:/i.test(text)) {
    try {
      return fileURLToPath(text)
    } catch {
      return undefined
    }
  }
  // Another address, such as https://example.com/x, is not a file.
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return undefined
  if (text === '~' || /^~[\\/]/.test(text)) return path.join(userHome, text.slice(1))
  return text.replace(/^\$(?:HOME|\{HOME\})(?=[\\/]|$)/, () => userHome)
}

/** A new file counts too if a folder above it exists: a server may create the others. The root does not: `/users/42` is rarely a file. */
function mayExist(real: string | undefined, onlyItself: boolean): boolean {
  if (real === undefined) return true
  if (entryAt(real) !== undefined) return true
  if (onlyItself) return false
  const { root } = path.parse(real)
  for (let folder = path.dirname(real); folder !== root; folder = path.dirname(folder))
    if (entryAt(folder) !== undefined) return true
  return false
}
