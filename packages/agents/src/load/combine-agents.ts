import path from 'node:path'
import { type AgentDefinition, type JsonObject, nameKey } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import { agentNameFromPath } from './agent-name.ts'
import type { FoundFile } from './find-agent-files.ts'
import type { ReadFile } from './read-agent-file.ts'
import type { ParsedAgent } from './read-definition.ts'

/** One file that was read, with or without a valid agent. Settings appear once per agent. */
export interface AgentFile {
  readonly path: string
  readonly dialect: string
  readonly status: 'ok' | 'rescued' | 'failed'
  readonly agent?: string
  /** The definition that takes precedence over this one. */
  readonly shadowedBy?: string
  /** The definitions that this one takes precedence over. */
  readonly shadows?: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface LoadedAgents {
  readonly agents: readonly AgentDefinition[]
  readonly files: readonly AgentFile[]
  readonly diagnostics: readonly Diagnostic[]
  /** The entry agent, if settings or a mark in its file name one. */
  readonly entry?: string
}

export interface CombineRequest {
  readonly parsed: readonly { readonly file: FoundFile; readonly read: ReadFile }[]
  readonly builtIns: readonly AgentDefinition[]
  readonly endless: readonly string[]
  readonly unreadable: readonly string[]
  readonly outside: readonly string[]
}

interface Definition {
  readonly agent?: AgentDefinition
  readonly place: string
  readonly level: number
  readonly depth: number
  /** `a.agent.md` takes precedence over `a.md` in the same folder. */
  readonly isMarked: boolean
  readonly read: ParsedAgent
  readonly file?: FoundFile
}

/** Decides which definition of each name is used. */
export function combineAgents({
  parsed,
  builtIns,
  endless,
  unreadable,
  outside,
}: CombineRequest): LoadedAgents {
  const definitions = [
    ...builtIns.map(builtIn),
    ...parsed.flatMap(({ file, read }) => definitionsIn(file, read)),
  ]
  const used = new Map<string, Definition>()
  const held = reservedNames(definitions)
  const others = new Map<Definition, string[]>()
  for (const definition of definitions) {
    if (definition.agent === undefined) continue
    const key = nameKey(definition.agent.name)
    const other = used.get(key)
    if (other === undefined || isBefore(definition, other)) used.set(key, definition)
  }
  for (const [key, definition] of used) {
    const broken = held.get(key)
    if (broken !== undefined && broken.level > definition.level) used.set(key, broken)
  }
  for (const definition of definitions) {
    const winner = winnerOver(definition, used)
    const places = winner === undefined ? undefined : others.get(winner)
    if (places !== undefined) places.push(definition.place)
    else if (winner !== undefined) others.set(winner, [definition.place])
  }
  const files = definitions.flatMap((definition) =>
    definition.file === undefined
      ? []
      : [fileOf(definition, definition.file, winnerOver(definition, used), others.get(definition))],
  )
  const agents = [...used.values()].flatMap(({ agent, read }) =>
    agent === undefined || read.disabled === true ? [] : [agent],
  )
  const entry = entryIn(parsed) ?? markedIn(agents)
  return {
    agents: agents.sort((a, b) => (a.name < b.name ? -1 : 1)),
    files,
    diagnostics: [
      ...endless.map(endlessNote),
      ...unreadable.map(unreadableNote),
      ...outside.map(outsideNote),
      ...files.flatMap((file) => file.diagnostics),
    ],
    ...(entry !== undefined && { entry }),
  }
}

/** Returns the entry agent named by settings. The user settings apply only if the project has no agents. */
function entryIn(parsed: CombineRequest['parsed']): string | undefined {
  const isOfUser = ({ file }: { readonly file: FoundFile }) => file.place.isOfUser === true
  const isOwn = parsed.some(
    (one) => !isOfUser(one) && one.read.agents.some(({ agent }) => agent !== undefined),
  )
  const withEntry = parsed.filter((one) => one.read.entry !== undefined && !(isOwn && isOfUser(one)))
  return withEntry.at(-1)?.read.entry
}

/** Returns the one agent whose file marks it as the entry agent: `metadata: {cadre-entry: 'true'}`. */
function markedIn(agents: readonly AgentDefinition[]): string | undefined {
  const marked = agents.filter(({ unknown, source }) => {
    const metadata = unknown?.['metadata']
    if (source?.dialect === 'built-in' || typeof metadata !== 'object' || metadata === null) return false
    return !Array.isArray(metadata) && String((metadata as JsonObject)['cadre-entry']) === 'true'
  })
  return marked.length === 1 ? marked[0]?.name : undefined
}

/**
 * Names of agents with unusable files, by the highest level. A definition at a lower level does not replace them, because
 * it might be permitted more than the broken file intended.
 */
function reservedNames(definitions: readonly Definition[]): Map<string, Definition> {
  const held = new Map<string, Definition>()
  for (const definition of definitions) {
    if (definition.agent !== undefined || definition.read.ignored === true) continue
    const names = [definition.read.name, agentNameFromPath(definition.place)]
    for (const key of names.flatMap((name) => (name === undefined ? [] : [nameKey(name)]))) {
      const other = held.get(key)
      if (other === undefined || other.level < definition.level) held.set(key, definition)
    }
  }
  return held
}

function builtIn(agent: AgentDefinition): Definition {
  const place = agent.source?.path ?? 'built-in'
  return { agent, place, level: -1, depth: 0, isMarked: false, read: { agent, diagnostics: [] } }
}

function definitionsIn(file: FoundFile, { agents }: ReadFile): Definition[] {
  return agents.map((read) => ({
    ...(read.agent !== undefined && { agent: read.agent }),
    place: file.path,
    level: file.place.level,
    depth: file.depth,
    isMarked: /\.agent\.(?:md|ya?ml)$/i.test(file.path),
    read,
    file,
  }))
}

/** Precedence: the higher level, then the deeper folder, then the file named as an agent, then the first. */
function isBefore(a: Definition, b: Definition): boolean {
  if (a.level !== b.level) return a.level > b.level
  if (a.depth !== b.depth) return a.depth > b.depth
  return isMarkedBeside(a, b)
}

function isMarkedBeside(a: Definition, b: Definition): boolean {
  return a.isMarked && !b.isMarked && path.dirname(a.place) === path.dirname(b.place)
}

function winnerOver(definition: Definition, used: ReadonlyMap<string, Definition>): Definition | undefined {
  const winner = definition.agent === undefined ? undefined : used.get(nameKey(definition.agent.name))
  return winner === definition ? undefined : winner
}

function fileOf(
  definition: Definition,
  { path: at, place }: FoundFile,
  winner: Definition | undefined,
  shadows: readonly string[] | undefined,
): AgentFile {
  const { agent, read } = definition
  const isTwice = winner !== undefined && !isBefore(winner, definition)
  const status = agent === undefined || isTwice ? 'failed' : read.rescued === true ? 'rescued' : 'ok'
  return {
    path: at,
    dialect: place.dialect.name,
    status,
    ...(agent !== undefined && { agent: agent.name }),
    ...(winner !== undefined && { shadowedBy: winner.place }),
    ...(shadows !== undefined && { shadows }),
    diagnostics:
      winner === undefined || agent === undefined
        ? read.diagnostics
        : [...read.diagnostics, shadowNote(at, agent, winner, isTwice)],
  }
}

function shadowNote(at: string, agent: AgentDefinition, winner: Definition, isTwice: boolean): Diagnostic {
  const line = agent.source?.line ?? 1
  const said = `${agent.name} is also defined in ${winner.place}`
  if (isTwice) {
    const message = `${said}. Both have the same precedence, so Cadre does not use this one.`
    return {
      path: at,
      line,
      severity: 'error',
      code: 'name-twice',
      message,
      fix: 'Rename or remove one of them.',
    }
  }
  const effect =
    winner.agent === undefined
      ? 'takes precedence but cannot be used'
      : winner.read.disabled === true
        ? 'disables the agent'
        : 'takes precedence'
  const message = `${said}, which ${effect}.`
  return {
    path: at,
    line,
    severity: 'warning',
    code: 'shadowed',
    message,
    fix: 'Rename or remove one of them.',
  }
}

function endlessNote(at: string): Diagnostic {
  const message = 'This folder has too many files, so Cadre did not look for agents in all of them.'
  const fix = 'Remove links that point outside the folder.'
  return { path: at, severity: 'warning', code: 'too-many-files', message, fix }
}

function unreadableNote(at: string): Diagnostic {
  const message = 'Cannot read this folder, so Cadre does not load its agents.'
  return { path: at, severity: 'warning', code: 'folder-unreadable', message, fix: 'Make it readable.' }
}

function outsideNote(at: string): Diagnostic {
  const message = 'This symbolic link points outside the project, so Cadre does not follow it.'
  const fix = 'Copy the file here, or to your own agents folder.'
  return { path: at, severity: 'warning', code: 'link-outside', message, fix }
}
