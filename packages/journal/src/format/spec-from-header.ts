import path from 'node:path'
import {
  type AgentDefinition,
  isObject,
  type Json,
  type JsonObject,
  type ReportStatus,
  readTrace,
  type SessionSpec,
  type SessionStatus,
} from '@cadre/core'
import { isSessionName } from '@cadre/home'
import { isSimpleKey } from './emit-entry.ts'
import type { RawHeader } from './read-header.ts'
import { boundaryOf, controlsOf, isolationOf } from './restrictions-of-header.ts'

export interface Header {
  /** Its id comes from the file name, so a copied file is a separate session. */
  readonly spec: SessionSpec
  /** The id in the file. */
  readonly name: string | undefined
  readonly status: SessionStatus
  readonly outcome: ReportStatus | undefined
  readonly updated: string
  /** Metadata and unknown keys that are not Cadre's. */
  readonly extra: { readonly [key: string]: Json }
}

/** Values that the file does not contain reliably. */
export interface KnownSpecValues {
  /** The file name without its extension. */
  readonly id: string
  readonly workspace: (agent: string) => string
  /** The first user message. */
  readonly work: string
  /** Returns the definition of an agent for a file that does not contain it. */
  readonly adopt?: ((agent: string) => AdoptedAgent | undefined) | undefined
}

/** The agent's part of a session that a person started by writing its file. */
export interface AdoptedAgent extends Pick<SessionSpec, 'agent' | 'systemPrompt' | 'targets'> {
  readonly model?: string | undefined
}

/** A key with an invalid value. The reader adds the line. */
export class InvalidHeader extends Error {
  readonly key: string

  constructor(key: string, message: string) {
    super(message)
    this.key = key
  }
}

const statuses: readonly string[] = ['active', 'sleeping', 'completed', 'error']
const outcomes: readonly string[] = ['completed', 'incomplete', 'error', 'cancelled']
/** Top-level keys of the header. Their values are always text: `0123` is an id. */
export const topKeys = [
  'session_id',
  'agent_id',
  'agent_type',
  'model',
  'parent',
  'created',
  'updated',
  'status',
  'system_prompt',
]
const ourKeys = [
  'outcome',
  'root',
  'depth',
  'chain',
  'targets',
  'completion',
  'output_schema',
  'delegation',
  'limits',
  'controls',
  'workspace',
  'isolation',
  'team',
  'work',
  'said',
  'history',
  'trace',
  'started_by',
  'agent',
  'agent_prompt',
]

/** Validates a header of any author. */
export function specFromHeader(raw: RawHeader, known: KnownSpecValues): Header {
  const { fields, metadata } = raw
  const top = (key: string) => optionalString(fields, key)
  const { id } = known
  const sessionName = top('session_id')
  const name = top('agent_id') ?? id
  const created = top('created') ?? ''
  const adopted = isObject(metadata['agent']) ? undefined : known.adopt?.(name)
  const systemPrompt = top('system_prompt') ?? adopted?.systemPrompt ?? ''
  const agent = adopted === undefined ? agentOf(raw, name, systemPrompt) : adoptedAgent(adopted.agent, raw)
  const parent = top('parent')
  const status = top('status') ?? 'sleeping'
  const outcome = optionalString(metadata, 'outcome')
  if (!statuses.includes(status))
    throw new InvalidHeader('status', `status is "${status}", but must be one of ${statuses.join(', ')}`)
  if (outcome !== undefined && !outcomes.includes(outcome)) {
    throw new InvalidHeader(
      'outcome',
      `outcome is "${outcome}", but must be null or one of ${outcomes.join(', ')}`,
    )
  }
  const root = optionalString(metadata, 'root')
  const work = metadata['work']
  const history = metadata['history'] as SessionSpec['history']
  const spec: SessionSpec = {
    id,
    root: root === undefined || root === sessionName ? id : root,
    agent,
    systemPrompt,
    model: top('model') || adopted?.model || '',
    ...(parent === undefined ? {} : { parent: parentOf(parent) }),
    depth: typedField(metadata, 'depth', 'number') ?? 0,
    chain: strings(metadata, 'chain') ?? [agent.name],
    targets: strings(metadata, 'targets') ?? adopted?.targets ?? [],
    completion: metadata['completion'] === 'report' ? 'report' : 'text',
    ...outputSchemaOf(metadata['output_schema']),
    delegation: typedField(metadata, 'delegation', 'boolean') ?? true,
    limits: limitsOf(metadata),
    ...controlsOf(metadata['controls']),
    ...placeOf(metadata, known.workspace(name), id),
    ...teamOf(metadata['team']),
    work: isObject(work)
      ? (work as unknown as SessionSpec['work'])
      : { content: typeof work === 'string' ? work : known.work, ...workOf(metadata['said']) },
    ...(Array.isArray(history) ? { history } : {}),
    ...traceOf(metadata['trace']),
    ...starterOf(metadata['started_by']),
    created,
  }
  return {
    spec,
    name: sessionName,
    status: status as SessionStatus,
    outcome: outcome as ReportStatus | undefined,
    updated: top('updated') ?? created,
    extra: extraOf(fields, metadata),
  }
}

/** The workspace: the one that the file names, or else the folder of its agent, a repository that no other agent uses. */
function placeOf(
  metadata: RawHeader['metadata'],
  own: string,
  id: string,
): Pick<SessionSpec, 'workspace' | 'isolation'> {
  const workspace = optionalString(metadata, 'workspace') ?? own
  if (metadata['isolation'] !== undefined || workspace !== own)
    return { workspace, ...isolationOf(metadata['isolation'], id) }
  const session = path.basename(own)
  return isSessionName(session)
    ? { workspace, isolation: { kind: 'own', session, base: own } }
    : { workspace }
}

/** An invalid schema must not be dropped. */
function outputSchemaOf(schema: unknown): Pick<SessionSpec, 'outputSchema'> {
  if (schema === undefined) return {}
  if (isObject(schema)) return { outputSchema: schema as JsonObject }
  throw new InvalidHeader('output_schema', 'output_schema must be a JSON Schema')
}

function teamOf(team: unknown): Pick<SessionSpec, 'team'> {
  if (!isObject(team)) return {}
  const { name, member } = team
  return typeof name === 'string' && typeof member === 'string' ? { team: { name, member } } : {}
}

/** Telemetry of a session without a trace starts one. */
function traceOf(trace: unknown): Pick<SessionSpec, 'trace'> {
  return typeof trace === 'string' && readTrace(trace) !== undefined ? { trace } : {}
}

/** Absent in files from earlier versions. */
function starterOf(name: unknown): Pick<SessionSpec, 'startedBy'> {
  return typeof name === 'string' && name !== '' ? { startedBy: name } : {}
}

function workOf(said: unknown): Pick<SessionSpec['work'], 'from' | 'message' | 'by'> {
  if (!isObject(said)) return {}
  const { from, message, by } = said
  return {
    ...(typeof from === 'string' && { from }),
    ...(typeof message === 'string' && { message }),
    ...(Array.isArray(by) && { by: by.filter((name) => typeof name === 'string') }),
  }
}

function agentOf({ fields, metadata }: RawHeader, name: string, systemPrompt: string): AgentDefinition {
  const own = metadata['agent']
  const prompt = metadata['agent_prompt']
  const definition = isObject(own) ? own : {}
  const type = typeof definition['type'] === 'string' ? definition['type'] : fields['agent_type']
  return {
    description: '',
    ...(!isObject(own) && typeof type === 'string' ? { type } : {}),
    ...definition,
    ...boundaryOf(own),
    tools: isSelection(definition['tools'])
      ? definition['tools']
      : { kind: 'list', names: toolNames(metadata) },
    name: typeof definition['name'] === 'string' ? definition['name'] : name,
    prompt:
      typeof prompt === 'string'
        ? prompt
        : systemPrompt.slice(0, typeof prompt === 'number' ? prompt : undefined),
  }
}

/** Tools in the file can restrict the agent's tools, but not add any. */
function adoptedAgent(agent: AgentDefinition, { metadata }: RawHeader): AgentDefinition {
  const names = toolNames(metadata)
  if (names.length === 0 || agent.tools.kind === 'all')
    return names.length === 0 ? agent : { ...agent, tools: { kind: 'list', names } }
  const own = agent.tools.names
  return { ...agent, tools: { kind: 'list', names: names.filter((one) => own.includes(one)) } }
}

function isSelection(tools: unknown): tools is AgentDefinition['tools'] {
  if (!isObject(tools)) return false
  return tools['kind'] === 'all' || (tools['kind'] === 'list' && Array.isArray(tools['names']))
}

/** An unreadable list grants no tools. */
function toolNames(metadata: RawHeader['metadata']): readonly string[] {
  const names = metadata['tools'] ?? metadata['capabilities']
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

function limitsOf(metadata: RawHeader['metadata']): SessionSpec['limits'] {
  const limits = metadata['limits']
  if (limits === undefined) return { maxRounds: 30 }
  if (isObject(limits) && typeof limits['maxRounds'] === 'number')
    return limits as unknown as SessionSpec['limits']
  throw new InvalidHeader('limits', 'limits must contain the number maxRounds')
}

function parentOf(parent: string): { session: string; call: string } {
  const slash = parent.indexOf('/')
  return slash < 0
    ? { session: parent, call: '' }
    : { session: parent.slice(0, slash), call: parent.slice(slash + 1) }
}

function optionalString(from: RawHeader['fields'], key: string): string | undefined {
  const value = from[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'object') throw new InvalidHeader(key, `${key} must be a string`)
  return String(value)
}

function typedField<T extends 'number' | 'boolean'>(from: RawHeader['fields'], key: string, type: T) {
  const value = from[key]
  if (value !== undefined && typeof value !== type) throw new InvalidHeader(key, `${key} must be a ${type}`)
  return value as (T extends 'number' ? number : boolean) | undefined
}

function strings(from: RawHeader['fields'], key: string): readonly string[] | undefined {
  const value = from[key]
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw new InvalidHeader(key, `${key} must be a list of names`)
}

/** Collects everything that is not Cadre's. Top-level keys go into `other`, so that they cannot collide with Cadre's. */
function extraOf(fields: RawHeader['fields'], metadata: RawHeader['metadata']): { [key: string]: Json } {
  const kept: Record<string, unknown> = {}
  const other: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(metadata)) {
    if (ourKeys.includes(key)) continue
    if (key === 'other' && isObject(value)) Object.assign(other, value)
    else if (key !== 'other' && isSimpleKey(key)) kept[key] = value
    else other[key] = value
  }
  for (const [key, value] of Object.entries(fields)) if (!topKeys.includes(key)) other[key] = value
  return (Object.keys(other).length === 0 ? kept : { ...kept, other }) as { [key: string]: Json }
}
