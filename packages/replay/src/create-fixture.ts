import {
  type Entry,
  type EventEntry,
  type Json,
  type JsonObject,
  parseJson,
  type Report,
  type SessionSpec,
  type StoredSession,
  type WireCall,
} from '@cadre/core'
import { maskedJson } from '@cadre/gate'
import {
  type Fixture,
  type FixtureEntry,
  type FixtureRun,
  type FixtureSession,
  fixtureFormat,
  fixtureVersion,
  type SessionParent,
} from './fixture.ts'
import { insertPlaceholders, mapTexts, type Places, type SessionNumbers } from './placeholders.ts'

export interface FixtureRequest {
  /** One tree's sessions, parents before children. The first is the entry session. */
  readonly sessions: readonly StoredSession[]
  readonly places: Omit<Places, 'workspaces'>
  /** Values that are known to be secret. */
  readonly secrets: readonly string[]
  /** The run's start options that its sessions do not contain. */
  readonly started?: Pick<FixtureRun, 'team' | 'allow'>
  readonly recorded: string
  /** Default: their positions in `sessions`. */
  readonly numbers?: SessionNumbers
}

/** Turns a finished run's sessions into a fixture, without secrets, times, ids, or this machine's paths. */
export function createFixture(request: FixtureRequest): Fixture {
  const { sessions, places, secrets, started, recorded } = request
  const { numbers = new Map(sessions.map(({ spec }, index) => [spec.id, index + 1])) } = request
  const portable = createPortableJson(
    { ...places, workspaces: workspacesOf(sessions.map(({ spec }) => spec)) },
    numbers,
    secrets,
  )
  const [root] = sessions
  if (root === undefined) throw new Error('unreachable: a run has an entry session')
  return {
    format: fixtureFormat,
    version: fixtureVersion,
    recorded,
    run: portable(runOf(root.spec, sessions, started) as unknown as Json) as unknown as FixtureRun,
    sessions: sessions.map((stored) => sessionOf(marked(stored, sessions), numbers, portable)),
  }
}

/**
 * Marks delegation outcomes that do not contain the child's report, because a person edited the file. A replay cannot reproduce
 * these outcomes.
 */
function marked(stored: StoredSession, sessions: readonly StoredSession[]): StoredSession {
  const entries = stored.entries.map((entry) => {
    if (entry.role !== 'tool_result') return entry
    const child = sessions.find(
      ({ spec: { parent, team } }) =>
        team === undefined && parent?.session === stored.spec.id && parent.call === entry.tool_call_id,
    )
    const isBackground = stored.entries.some(
      (other) => other.role === 'event' && other['background'] === true && other.call === entry.tool_call_id,
    )
    const reports = child === undefined || isBackground ? [] : reportsOf(child)
    const isEdited = reports.length > 0 && !reports.some(({ text }) => entry.content.includes(text))
    return isEdited ? { ...entry, edited: true } : entry
  })
  return { ...stored, entries }
}

function reportsOf({ entries }: StoredSession): readonly Report[] {
  return entries.flatMap((entry) =>
    entry.role === 'event' && entry.type === 'session.ended' ? [entry['report'] as unknown as Report] : [],
  )
}

export type ToPortableJson = <T extends Json | undefined>(value: T) => T

/** Masks secrets as in the audit log, then replaces paths and ids. */
function createPortableJson(
  places: Places,
  numbers: SessionNumbers,
  secrets: readonly string[],
): ToPortableJson {
  return (value) =>
    mapTexts(maskedJson(value, secrets), (text) => insertPlaceholders(text, places, numbers)) as typeof value
}

/** Every folder that a session in the run worked in, shared or isolated. */
function workspacesOf(specs: readonly SessionSpec[]): readonly string[] {
  const all = specs.flatMap(({ workspace, isolation }) =>
    isolation?.kind === 'own' ? [workspace, isolation.base] : [workspace],
  )
  return [...new Set(all)]
}

function runOf(
  spec: SessionSpec,
  sessions: readonly StoredSession[],
  started: FixtureRequest['started'],
): FixtureRun {
  const { agent, targets, model, work, history, outputSchema, delegation, controls, limits } = spec
  const wasUnattended = sessions.some(({ entries }) =>
    entries.some((entry) => entry.role === 'event' && entry['rule'] === 'no-human'),
  )
  return {
    agent: agent.name,
    ...(started?.team !== undefined && { team: started.team }),
    targets,
    model,
    work,
    ...(history && { history }),
    ...(outputSchema && { outputSchema }),
    delegation,
    ...(controls && { controls }),
    ...(limits.run && { limits: limits.run }),
    ...(started?.allow && started.allow.length > 0 && { allow: started.allow }),
    ...(wasUnattended && { noHuman: true }),
  }
}

function sessionOf(
  { spec, entries }: StoredSession,
  numbers: SessionNumbers,
  portable: ToPortableJson,
): FixtureSession {
  const parent = parentOf(spec, numbers)
  const { isolation } = spec
  return {
    ...(parent && { parent }),
    agent: spec.agent.name,
    definition: portable(definitionOf(spec)),
    model: portable(spec.model),
    systemPrompt: portable(spec.systemPrompt),
    ...(isolation && {
      isolation: {
        kind: isolation.kind,
        ...(isolation.kind === 'missing' && { reason: portable(isolation.reason) }),
        ...(isolation.kind === 'own' && isolation.returns && { returns: true as const }),
      },
    }),
    entries: entries.filter(isKept).map((entry) => entryOf(entry, numbers, portable)),
  }
}

/** Events about requests to the server are omitted, because they do not describe behaviour. */
function isKept(entry: Entry): boolean {
  return entry.role !== 'event' || !entry.type.startsWith('request.')
}

function parentOf({ parent, team }: SessionSpec, numbers: SessionNumbers): SessionParent | undefined {
  const session = parent && numbers.get(parent.session)
  if (parent === undefined || session === undefined) return undefined
  return { session, call: parent.call, ...(team && { member: team.member }) }
}

/** The agent's definition, without its system prompt and its file's path. */
function definitionOf({ agent }: Pick<SessionSpec, 'agent'>): JsonObject {
  const { prompt: _prompt, source: _source, name: _name, unknown: _unknown, ...definition } = agent
  return JSON.parse(JSON.stringify(definition))
}

function entryOf(entry: Entry, numbers: SessionNumbers, portable: ToPortableJson): FixtureEntry {
  const { timestamp: _timestamp, ...rest } = entry
  const kept = rest as unknown as Json
  if (entry.role === 'assistant') {
    const { reasoning: _reasoning, tool_calls, ...reply } = rest as unknown as Record<string, Json>
    const calls = (tool_calls as unknown as readonly WireCall[] | undefined)?.map((call) =>
      callOf(call, portable),
    )
    return { ...portable(reply), ...(calls && { tool_calls: calls }) } as unknown as FixtureEntry
  }
  if (entry.role === 'event') return eventOf(entry, numbers, portable)
  return portable(kept) as unknown as FixtureEntry
}

/** Masks arguments by their keys as well, as in the audit log. Does not change arguments that contain no secrets. */
function callOf(call: WireCall, portable: ToPortableJson): WireCall {
  const { name, arguments: written } = call.function
  const parsed = parseJson(written)
  const isObject = parsed.ok && typeof parsed.value === 'object' && parsed.value !== null
  const input = isObject ? JSON.stringify(parsed.value) : undefined
  const masked = isObject ? JSON.stringify(portable(parsed.value as Json)) : undefined
  const args =
    input === undefined || masked === undefined ? portable(written) : input === masked ? written : masked
  return { ...call, function: { name, arguments: args } }
}

function eventOf(entry: EventEntry, numbers: SessionNumbers, portable: ToPortableJson): FixtureEntry {
  const { timestamp: _timestamp, key: _key, detail: _detail, child, members, ...rest } = entry
  const ids = (typeof members === 'object' && members !== null ? members : {}) as Record<string, string>
  return {
    ...(portable(rest as unknown as Json) as object),
    ...(child !== undefined && { child: numbered(child, numbers) }),
    ...(members !== undefined && {
      members: Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, numbered(id, numbers)])),
    }),
  } as unknown as FixtureEntry
}

/** A session that never started does not have a number. */
function numbered(id: string, numbers: SessionNumbers): string {
  return String(numbers.get(id) ?? 0)
}
