import type { Entry, SessionSpec } from '@cadre/core'
import { emitEntry } from './emit-entry.ts'
import { emitHeader } from './emit-header.ts'
import { type Journal, type ReadOptions, readJournal } from './read-journal.ts'

export const timestamp = '2026-11-15T10:05:23.000Z'

export function specOf(id: string, changes: Partial<SessionSpec> = {}): SessionSpec {
  return {
    id,
    root: id,
    agent: { name: 'lead', description: 'Leads.', prompt: 'You lead.', tools: { kind: 'all' } },
    systemPrompt: 'You lead.\n\nYou may delegate to nobody.\n',
    model: 'scripted',
    depth: 0,
    chain: ['lead'],
    targets: [],
    completion: 'text',
    delegation: true,
    limits: { maxRounds: 30 },
    workspace: '/project',
    work: { content: 'Check the cache.' },
    created: timestamp,
    ...changes,
  }
}

export function emitJournal(entries: readonly Entry[], spec: SessionSpec = specOf('lead-1')): string {
  const state = { status: 'active', outcome: undefined, updated: spec.created } as const
  return emitHeader(spec, state).text + entries.map(emitEntry).join('')
}

export function read(text: string | Buffer, changes: Partial<ReadOptions> = {}): Journal | undefined {
  const options = {
    path: 'sessions/lead-1.session.yaml',
    id: 'lead-1',
    workspace: (agent: string) => `/work/${agent}`,
  }
  return readJournal(Buffer.from(text as string), { ...options, ...changes })
}
