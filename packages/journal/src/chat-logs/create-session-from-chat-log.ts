import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, openSync } from 'node:fs'
import path from 'node:path'
import type { AgentDefinition, Entry, Json, SessionSpec } from '@cadre/core'
import { hasCode, ownerOnly, unlinkIfExists, writeFully } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { checkSessionName, rememberOwnWrite } from '@cadre/home'
import { sessionPath } from '../engine/engine-parts.ts'
import { emitEntry } from '../format/emit-entry.ts'
import { emitHeader } from '../format/emit-header.ts'
import type { ChatLog } from './chat-log.ts'
import { entriesFromLog } from './entries-from-log.ts'

export interface PlaceSessionRequest {
  readonly home: Home
  readonly id: string
  /** The log, without the messages that the session has not received yet. */
  readonly log: ChatLog
  /** Where it was read from, for information. */
  readonly from: string
  /** The current definition of the agent. If absent, the session uses the prompt in the log, and has no tools. */
  readonly agent?: AgentDefinition | undefined
  readonly targets?: readonly string[]
  readonly workspace: string
  readonly now: string
}

/**
 * Creates a session from the conversation in a chat log. Returns `exists`, and changes nothing, if a session has this id. After a crash,
 * the file is complete or missing.
 */
export function createSessionFromChatLog(request: PlaceSessionRequest): 'placed' | 'exists' {
  const { home, id, from, now } = request
  checkSessionName(id)
  const target = sessionPath(home, id)
  if (existsSync(target)) return 'exists'
  const spec = specOf(request)
  // The first entry records the source file, so that even an empty conversation has an entry.
  const note: Entry = {
    seq: 1,
    timestamp: now,
    role: 'event',
    type: 'log.imported',
    from,
    log: request.log.agent,
  }
  const entries = [note, ...entriesFromLog(request.log.entries, 2)]
  const extra: { readonly [key: string]: Json } = { imported_from: from }
  const state = { status: 'sleeping', outcome: undefined, updated: now, extra } as const
  const text = emitHeader(spec, state).text + entries.map(emitEntry).join('')
  return putInPlace(home, target, Buffer.from(text)) ? 'placed' : 'exists'
}

function specOf(request: PlaceSessionRequest): SessionSpec {
  const { id, log, agent, targets = [], workspace, now } = request
  const definition: AgentDefinition = agent ?? {
    name: log.agent,
    description: '',
    ...(log.type && { type: log.type }),
    prompt: log.systemPrompt,
    tools: { kind: 'list', names: [] },
  }
  const [model = ''] = definition.models ?? []
  const first = log.entries.find((entry) => entry.role === 'user')
  return {
    id,
    root: id,
    agent: definition,
    systemPrompt: definition.prompt,
    // An empty name means the default model at the time the session continues.
    model: model.toLowerCase() === 'inherit' ? '' : model,
    depth: 0,
    chain: [definition.name],
    targets,
    completion: 'text',
    delegation: true,
    limits: { maxRounds: definition.limits?.maxTurns ?? 30 },
    workspace,
    work: { content: first?.role === 'user' ? first.content : '' },
    created: createdOf(log) ?? now,
  }
}

function createdOf({ created }: ChatLog): string | undefined {
  const ms = Date.parse(
    created === undefined
      ? ''
      : /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(created)
        ? `${created.replace(' ', 'T')}Z`
        : created,
  )
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

function putInPlace(home: Home, target: string, bytes: Buffer): boolean {
  const folder = home.folder('sessions')
  const draft = path.join(folder, `.${process.pid}-${randomBytes(4).toString('hex')}.tmp`)
  try {
    const file = openSync(draft, 'wx', ownerOnly)
    try {
      writeFully(file, bytes, 0)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    // Never overwrites a session that was just created.
    linkSync(draft, target)
    rememberOwnWrite(target, bytes)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    unlinkIfExists(draft)
  }
}
