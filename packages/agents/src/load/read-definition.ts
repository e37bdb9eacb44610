import type { AgentDefinition, Json } from '@cadre/core'
import type { Diagnostic, Located } from '@cadre/disk'
import type { HeaderEntry, UnreadRestriction } from '../header/find-unread-restrictions.ts'
import { plainKey } from '../header/known-keys.ts'
import { HeaderReader } from '../keys/header-reader.ts'
import { isBoundaryKey, readBoundary } from '../keys/read-boundary.ts'
import { readHandoffs } from '../keys/read-handoffs.ts'
import { readInvocation } from '../keys/read-invocation.ts'
import { readLimits } from '../keys/read-limits.ts'
import { readModels } from '../keys/read-models.ts'
import { readName } from '../keys/read-name.ts'
import { readIsolation, readSections } from '../keys/read-sections.ts'
import { readTools } from '../keys/read-tools.ts'
import { preservedKeysKey } from '../write/kept-keys.ts'
import {
  promptWhitespaceKey,
  readPromptWhitespace,
  restorePromptWhitespace,
} from '../write/prompt-whitespace.ts'

export interface DefinitionRequest {
  readonly path: string
  readonly dialect: string
  /** The line number of its first key. */
  readonly line: number
  readonly entries: readonly HeaderEntry[]
  /** The text below the header, if the dialect has the prompt there. */
  readonly prompt?: string
  /** The dialect's other names for keys, normalized. */
  readonly synonyms?: { readonly [spelling: string]: string }
  /** Restrictions that seem to be present but were not read. */
  readonly unseen?: readonly UnreadRestriction[]
  /** The plugin of the agent, which describes an agent without a description. */
  readonly plugin?: string
}

export interface ParsedAgent {
  /** Absent if the diagnostics contain an error. */
  readonly agent?: AgentDefinition
  readonly diagnostics: readonly Diagnostic[]
  /** The file is malformed but could be read; the diagnostics list each problem. */
  readonly rescued?: boolean
  /** For a rescued file: its corrected text. It gives the same agent, without a rescue. */
  readonly repaired?: string
  /** The file disables its agent, and all agents with the same name at lower levels. */
  readonly disabled?: boolean
  /** For an unusable file: the name of its agent. */
  readonly name?: string
  /** Not an agent and not expected to be one, such as a README. Not listed. */
  readonly ignored?: boolean
}

/** Current and former names of keys in all dialects, normalized. */
const keySpellings: { readonly [spelling: string]: string } = {
  userinvokable: 'userinvocable',
  timeoutseconds: 'timeout',
  models: 'model',
  maxturn: 'maxturns',
  maxsteps: 'maxturns',
  maxiterations: 'maxturns',
  permissions: 'permission',
  deniedtools: 'disallowedtools',
  excludedtools: 'disallowedtools',
  excludetools: 'disallowedtools',
  blockedtools: 'disallowedtools',
  restrictedtools: 'disallowedtools',
  whentouse: 'usefor',
  isbackground: 'background',
  disabled: 'disable',
  mcp: 'mcpservers',
}

/** Creates an agent from the keys of its file, in any dialect. */
export function readDefinition(request: DefinitionRequest): ParsedAgent {
  const { path, dialect, line, entries, unseen = [] } = request
  const header = new HeaderReader({
    path,
    dialect,
    entries,
    unseen,
    synonyms: request.synonyms === undefined ? keySpellings : { ...keySpellings, ...request.synonyms },
  })
  const name = readName(header, line)
  const description = readDescription(header, line, request.plugin)
  const prompt = withSpaceOf(header, request.prompt || (header.text('prompt') ?? ''))
  if (prompt === '')
    header.report(
      'warning',
      'prompt-missing',
      line,
      'The agent has no instructions.',
      request.prompt === undefined ? 'Add them under system_prompt:.' : 'Add them below the header.',
    )
  rejectUnread(header)
  const { tools, disallowed, permissions, delegates } = readTools(header)
  const { userInvocable, modelInvocable, disabled } = readInvocation(header)
  const optional = {
    useFor: header.text('usefor'),
    type: header.text('type'),
    disallowedTools: disallowed,
    permissions,
    boundary: readBoundary(header, entries),
    delegates,
    models: readModels(header),
    limits: readLimits(header),
    requiredSections: readSections(header),
    handoffs: readHandoffs(header),
    isolation: readIsolation(header),
    background: header.flag('background'),
    hooks: data(header, 'hooks'),
    mcpServers: data(header, 'mcpservers'),
    userInvocable,
    modelInvocable,
    unknown: restOf(header),
  }
  const { diagnostics } = header
  if (header.failed || name === undefined) return { diagnostics, ...(name !== undefined && { name }) }
  const agent: AgentDefinition = {
    name,
    description,
    prompt,
    tools,
    ...present(optional),
    source: { path, dialect, line },
  }
  return { agent, diagnostics, ...(disabled && { disabled }) }
}

function readDescription(header: HeaderReader, line: number, plugin: string | undefined): string {
  const written = header.text('description') ?? ''
  if (written !== '') return written
  const description = plugin === undefined ? '' : `Agent from ${plugin} plugin`
  const effect =
    description === ''
      ? 'so other agents cannot tell when to use this one'
      : `so Claude Code describes the agent as ${JSON.stringify(description)}, which does not explain when to use it`
  header.report(
    'warning',
    'description-missing',
    line,
    `The description is missing, ${effect}.`,
    'Add description: with one sentence.',
  )
  return description
}

/** If a limit seems to be intended but is invalid, the agent is unusable. For tools or targets, it gets none. */
function rejectUnread(header: HeaderReader): void {
  for (const { key, restricts, line } of header.unseen) {
    if (restricts === 'tools' || restricts === 'agents') continue
    const message = `This looks like ${key}, but is not a header key. Cadre does not use this agent until you fix it.`
    header.report('error', 'key-unseen', line, message, `Write ${key}: in the header, at the left margin.`)
  }
}

function data(header: HeaderReader, key: string): Json | undefined {
  return header.take(key)?.value ?? undefined
}

/** Returns unread keys, and keys of other dialects that were stored separately. */
function restOf(header: HeaderReader): { readonly [key: string]: Json } | undefined {
  const kept = header.peek(plainKey(preservedKeysKey))?.fields
  if (kept !== undefined) header.take(plainKey(preservedKeysKey))
  const own = header.rest().flatMap(([key, field]): [string, Json][] => {
    const value = plainKey(key) === 'metadata' ? withoutBoundary(field) : field.value
    return value === undefined ? [] : [[key, value]]
  })
  const rest = [...own, ...[...(kept ?? [])].map(([key, field]) => [key, field.value] as const)]
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

/** Returns the metadata without the keys that were read; undefined if there are no others. */
function withoutBoundary({ value, fields }: Located): Json | undefined {
  const ours = [...(fields ?? [])].filter(([key]) => isBoundaryKey(key))
  if (fields === undefined || ours.length === 0) return value
  const left = [...fields].filter(([key]) => !isBoundaryKey(key))
  return left.length === 0 ? undefined : Object.fromEntries(left.map(([key, field]) => [key, field.value]))
}

/** Restores blank lines at the edges, which no file keeps. */
function withSpaceOf(header: HeaderReader, prompt: string): string {
  const space = readPromptWhitespace(header.peek(plainKey(promptWhitespaceKey))?.value ?? null)
  if (space === undefined) return prompt
  header.take(plainKey(promptWhitespaceKey))
  return restorePromptWhitespace(prompt, space)
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>
}
