import { readFileSync } from 'node:fs'
import { type AgentDefinition, messageOf } from '@cadre/core'
import type { Diagnostic } from '../diagnostic.ts'
import { nameKey } from './agent-name.ts'
import { type AgentPlaces, type FoundFile, findAgentFiles } from './find-agent-files.ts'
import type { ReadAgent } from './read-definition.ts'

export interface AgentsRequest extends AgentPlaces {
  /** What there is without any file; every file may define the same name anew. */
  readonly builtIns?: readonly AgentDefinition[]
}

/** One file that was looked at, whether or not an agent came out of it. */
export interface AgentFile {
  readonly path: string
  readonly dialect: string
  readonly status: 'ok' | 'rescued' | 'failed'
  readonly agent?: string
  /** The definition that is used instead of this one. */
  readonly shadowedBy?: string
  /** The definitions this one is used instead of. */
  readonly shadows?: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface LoadedAgents {
  readonly agents: readonly AgentDefinition[]
  readonly files: readonly AgentFile[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Reads every agent there is. Levels, each before the one above it: built-in, user, `.claude`, `.github`, templates of
 * the home. A file that cannot be used is never left out in silence: it is in `files`, with the reason.
 */
export async function loadAgents(request: AgentsRequest): Promise<LoadedAgents> {
  const { files, endless } = findAgentFiles(request)
  return combine({
    parsed: files.map((file) => ({ file, read: readAgentFile(file) })),
    endless,
    builtIns: request.builtIns ?? [],
  })
}

const largestFile = 1_000_000

export function readAgentFile(file: FoundFile): ReadAgent {
  const { path, size, loader } = file
  const failed = (code: string, message: string): ReadAgent => ({
    diagnostics: [{ path, line: 1, severity: 'error', code, message }],
  })
  if (size > largestFile)
    return failed(
      'file-too-large',
      `The file has ${size} bytes, and the most for an agent is ${largestFile}.`,
    )
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    return failed('file-unreadable', `The file cannot be read: ${messageOf(error)}.`)
  }
  const text = bytes.toString('utf8')
  const { agent, diagnostics } = loader.parse(text, path)
  if (!text.includes('\ufffd') || bytes.includes('\ufffd'))
    return agent === undefined ? { diagnostics } : { agent, diagnostics }
  const note: Diagnostic = {
    path,
    line: 1,
    severity: 'warning',
    code: 'not-utf-8',
    message: 'The file contains bytes that are not UTF-8.',
    fix: 'Save it as UTF-8.',
  }
  return { ...(agent !== undefined && { agent }), diagnostics: [...diagnostics, note] }
}

export interface Parts {
  readonly parsed: readonly { readonly file: FoundFile; readonly read: ReadAgent }[]
  readonly endless: readonly string[]
  readonly builtIns: readonly AgentDefinition[]
}

interface Definition {
  readonly agent: AgentDefinition
  readonly place: string
  readonly level: number
}

/** Settles which definition of each name is used. */
export function combine({ parsed, endless, builtIns }: Parts): LoadedAgents {
  const used = new Map<string, Definition>()
  for (const agent of builtIns) used.set(nameKey(agent.name), { agent, place: 'built-in', level: -1 })
  const shadows = new Map<string, string[]>()
  const duplicates = new Set<string>()
  for (const { file, read } of parsed) {
    if (read.agent === undefined) continue
    const key = nameKey(read.agent.name)
    const other = used.get(key)
    if (other?.level === file.level) {
      duplicates.add(file.path)
      continue
    }
    if (other !== undefined) shadows.set(file.path, [...(shadows.get(other.place) ?? []), other.place])
    used.set(key, { agent: read.agent, place: file.path, level: file.level })
  }
  const files = parsed.map(({ file, read }): AgentFile => {
    const { path, loader } = file
    const winner = read.agent === undefined ? undefined : used.get(nameKey(read.agent.name))
    const shadowed = winner !== undefined && winner.place !== path
    const notes = shadowed ? [noteOf(path, read.agent?.name ?? '', winner.place, duplicates.has(path))] : []
    const replaced = shadowed ? undefined : shadows.get(path)
    return {
      path,
      dialect: loader.dialect,
      status: read.agent === undefined || duplicates.has(path) ? 'failed' : 'ok',
      ...(read.agent !== undefined && { agent: read.agent.name }),
      ...(shadowed && { shadowedBy: winner.place }),
      ...(replaced !== undefined && { shadows: replaced }),
      diagnostics: [...read.diagnostics, ...notes],
    }
  })
  const agents = [...used.values()].map(({ agent }) => agent).sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    agents,
    files,
    diagnostics: [...endless.map(endlessNote), ...files.flatMap((file) => file.diagnostics)],
  }
}

function endlessNote(path: string): Diagnostic {
  const message = 'This folder holds more files than agents could ever need, so the rest was not looked at.'
  return {
    path,
    severity: 'warning',
    code: 'too-many-files',
    message,
    fix: 'Remove the link that leads out of it.',
  }
}

function noteOf(path: string, name: string, winner: string, duplicate: boolean): Diagnostic {
  if (duplicate) {
    return {
      path,
      line: 1,
      severity: 'error',
      code: 'name-twice',
      message: `${name} is defined in ${winner} as well, and both have the same rank, so this one is not used.`,
      fix: 'Rename or remove one of them.',
    }
  }
  return {
    path,
    line: 1,
    severity: 'warning',
    code: 'shadowed',
    message: `${name} is defined in ${winner} as well, which is used instead.`,
  }
}
