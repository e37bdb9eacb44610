import type { AgentDefinition, Json, ReportStatus, SessionSpec, SessionStatus } from '@cadre/core'
import type { RawHeader } from './read-header.ts'

export interface Header {
  readonly spec: SessionSpec
  readonly status: SessionStatus
  readonly outcome: ReportStatus | undefined
  readonly updated: string
  /** What stands in the metadata, or at unknown keys, and is not ours. */
  readonly extra: { readonly [key: string]: Json }
}

/** What a file that was not written by cadre does not say. */
export interface Missing {
  /** The file's name without its ending. */
  readonly id: string
  readonly workspace: (agent: string) => string
  /** The first user message: what the session is about. */
  readonly work: string
}

/** A key whose value cannot be used. The reader adds where it is. */
export class BadHeader extends Error {
  readonly key: string

  constructor(key: string, message: string) {
    super(message)
    this.key = key
  }
}

const statuses: readonly string[] = ['active', 'sleeping', 'completed', 'error']
const outcomes: readonly string[] = ['completed', 'incomplete', 'error', 'cancelled']
const topKeys = ['session_id', 'agent_id', 'agent_type', 'model', 'parent', 'created', 'updated', 'status', 'system_prompt']
const ourKeys = [
  'outcome', 'root', 'depth', 'chain', 'targets', 'completion', 'delegation', 'limits', 'workspace', 'work', 'history', 'agent',
  'agent_prompt',
]

/** Understands a header, whoever wrote it. */
export function specOfHeader(raw: RawHeader, missing: Missing): Header {
  const { fields, metadata } = raw
  const top = (key: string) => optionalString(fields, key)
  const id = top('session_id') ?? missing.id
  const name = top('agent_id') ?? missing.id
  const created = top('created') ?? ''
  const systemPrompt = top('system_prompt') ?? ''
  const agent = agentOf(raw, name, systemPrompt)
  const parent = top('parent')
  const status = top('status') ?? 'sleeping'
  const outcome = optionalString(metadata, 'outcome')
  if (!statuses.includes(status)) throw new BadHeader('status', `status is "${status}", but must be one of ${statuses.join(', ')}`)
  if (outcome !== undefined && !outcomes.includes(outcome)) {
    throw new BadHeader('outcome', `outcome is "${outcome}", but must be null or one of ${outcomes.join(', ')}`)
  }
  const work = metadata['work']
  const history = metadata['history'] as SessionSpec['history']
  const spec: SessionSpec = {
    id,
    root: optionalString(metadata, 'root') ?? id,
    agent,
    systemPrompt,
    model: top('model') ?? '',
    ...(parent === undefined ? {} : { parent: parentOf(parent) }),
    depth: typed(metadata, 'depth', 'number') ?? 0,
    chain: strings(metadata, 'chain') ?? [name],
    targets: strings(metadata, 'targets') ?? [],
    completion: metadata['completion'] === 'report' ? 'report' : 'text',
    delegation: typed(metadata, 'delegation', 'boolean') ?? true,
    limits: limitsOf(metadata),
    workspace: optionalString(metadata, 'workspace') ?? missing.workspace(name),
    work: isObject(work) ? (work as unknown as SessionSpec['work']) : { content: typeof work === 'string' ? work : missing.work },
    ...(Array.isArray(history) ? { history } : {}),
    created,
  }
  return {
    spec,
    status: status as SessionStatus,
    outcome: outcome as ReportStatus | undefined,
    updated: top('updated') ?? created,
    extra: { ...unknown(fields, topKeys), ...unknown(metadata, ourKeys) },
  }
}

function agentOf({ fields, metadata }: RawHeader, name: string, systemPrompt: string): AgentDefinition {
  const own = metadata['agent']
  const prompt = metadata['agent_prompt']
  const definition = isObject(own) ? own : {}
  const type = typeof definition['type'] === 'string' ? definition['type'] : fields['agent_type']
  return {
    description: '',
    // A definition that is not known grants nothing that is not written down somewhere.
    tools: { kind: 'list', names: toolNames(metadata) },
    ...(!isObject(own) && typeof type === 'string' ? { type } : {}),
    ...definition,
    name: typeof definition['name'] === 'string' ? definition['name'] : name,
    prompt: typeof prompt === 'string' ? prompt : systemPrompt.slice(0, typeof prompt === 'number' ? prompt : undefined),
  }
}

function toolNames(metadata: RawHeader['metadata']): readonly string[] {
  const names = metadata['tools'] ?? metadata['capabilities']
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

function limitsOf(metadata: RawHeader['metadata']): SessionSpec['limits'] {
  const limits = metadata['limits']
  if (limits === undefined) return { maxRounds: 30 }
  if (isObject(limits) && typeof limits['maxRounds'] === 'number') return limits as unknown as SessionSpec['limits']
  throw new BadHeader('limits', 'limits must hold the number maxRounds')
}

function parentOf(parent: string): { session: string; call: string } {
  const slash = parent.indexOf('/')
  return slash < 0 ? { session: parent, call: '' } : { session: parent.slice(0, slash), call: parent.slice(slash + 1) }
}

function optionalString(from: RawHeader['fields'], key: string): string | undefined {
  const value = from[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'object') throw new BadHeader(key, `${key} must be text`)
  return String(value)
}

function typed<T extends 'number' | 'boolean'>(from: RawHeader['fields'], key: string, type: T) {
  const value = from[key]
  // biome-ignore lint/suspicious/useValidTypeof: the type is one of two literals.
  if (value !== undefined && typeof value !== type) throw new BadHeader(key, `${key} must be a ${type}`)
  return value as (T extends 'number' ? number : boolean) | undefined
}

function strings(from: RawHeader['fields'], key: string): readonly string[] | undefined {
  const value = from[key]
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw new BadHeader(key, `${key} must be a list of names`)
}

function unknown(from: RawHeader['fields'], known: readonly string[]): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(from).filter(([key]) => !known.includes(key))) as { [key: string]: Json }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
