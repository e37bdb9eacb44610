import { rmSync } from 'node:fs'
import { CadreError, type Entry, type SessionSpec, type Work } from '@cadre/core'
import { readRegularFile } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { canonicalLines } from '../format/read-journal.ts'
import { readLeniently } from '../format/read-leniently.ts'
import { backUpOriginal } from './back-up-file.ts'
import { sessionPath } from './engine-parts.ts'
import { readProjected } from './session-projection.ts'

/** A session that a person starts by writing its file. */
export interface WrittenSession extends Pick<SessionSpec, 'controls' | 'history'> {
  readonly agent: string
  readonly work: Work
  /** Absent if the file does not name one. */
  readonly model?: string
  /** If the file does not name one, that of the agent in the home. */
  readonly workspace: string
  readonly namesWorkspace: boolean
  /** Identifies this version of the file. */
  readonly stamp: string
}

const topKeys = ['session_id', 'agent_id', 'agent_type', 'model', 'created', 'updated', 'status']
const metadataKeys = ['outcome', 'workspace', 'controls']

/**
 * Reads a file that a person has written to start a session on another engine. Returns `undefined` if the session has already started, or if
 * the last message is not from a person. Throws `configuration` if the file contains something that only the engine on files can start with.
 */
export function readWritten(home: Home, id: string): WrittenSession | undefined {
  const file = readProjected(home, id)
  // Cadre records when a session was created; people who write a session file omit it.
  if (file === undefined || file.place !== undefined || file.stored.spec.created !== '') return undefined
  const { spec, entries } = file.stored
  const last = entries.at(-1)
  if (last?.role !== 'user') return undefined
  const { fields, metadata } = readLeniently(
    canonicalLines(readRegularFile(sessionPath(home, id)).toString('utf8')),
  )
  const unsupported = [
    ...Object.keys(fields).filter((key) => !topKeys.includes(key)),
    ...Object.keys(metadata).flatMap((key) => (metadataKeys.includes(key) ? [] : [`metadata.${key}`])),
  ]
  if (unsupported.length > 0) throw notStarted(id, `it sets ${unsupported.join(', ')}`)
  const history = entries.slice(0, -1).map((entry) => {
    const message = messageOf(entry)
    if (message === undefined) throw notStarted(id, `entry ${entry.seq} is not a plain message`)
    return message
  })
  const { content, images } = last
  return {
    agent: spec.agent.name,
    work: { content, ...(images && { images }) },
    ...(spec.model !== '' && { model: spec.model }),
    workspace: spec.workspace,
    namesWorkspace: metadata['workspace'] !== undefined,
    ...(spec.controls && { controls: spec.controls }),
    ...(history.length > 0 && { history }),
    stamp: file.stamp,
  }
}

/** Makes room for the file that the other engine writes. Returns the name under which the person's file is kept. */
export function moveWritten(home: Home, id: string): string {
  const path = sessionPath(home, id)
  const beside = backUpOriginal(path)
  rmSync(path)
  return beside
}

function messageOf(entry: Entry): NonNullable<SessionSpec['history']>[number] | undefined {
  if (entry.role === 'user' && entry.images === undefined) return { role: 'user', content: entry.content }
  if (entry.role === 'assistant' && entry.tool_calls === undefined)
    return { role: 'assistant', content: entry.content ?? '' }
  return undefined
}

function notStarted(id: string, reason: string): CadreError {
  return new CadreError(
    'configuration',
    `session ${id} cannot start on a worker, because ${reason}. A file that starts a session on a worker may contain agent_id, model, metadata.workspace, metadata.controls and messages. Remove the rest, or run "cadre up" without the engine.`,
  )
}
