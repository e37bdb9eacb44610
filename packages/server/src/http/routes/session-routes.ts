import { rowStates } from '@cadre/api'
import { runningProcess } from '@cadre/home'
import type { RouteContext } from '../api-context.ts'
import type { Routes } from '../http-route.ts'
import { factsOfSession } from '../index/facts-of-session.ts'
import { HttpProblem } from '../problem.ts'
import {
  countSchema,
  listSchema,
  objectSchema,
  pageSchema,
  pagingParameters,
  schemaRef,
  textSchema,
} from '../schemas.ts'
import { etagOf } from '../send-answer.ts'
import { readCallDetail } from './read-call-detail.ts'
import { requireSession } from './require-session.ts'
import { sessionDetail } from './session-detail.ts'

type Name = 'listSessions' | 'getSession' | 'getTree' | 'listEntries' | 'getJournal' | 'getCall'

const entriesPerPage = 100

export const sessionRoutes: Routes<Name> = {
  listSessions: {
    operation: 'listSessions',
    role: 'viewer',
    summary: 'List sessions, most recently changed first',
    query: {
      ...pagingParameters,
      roots: { type: 'boolean', description: 'Only entry sessions' },
      root: { type: 'string', description: 'Only this session and the sessions below it' },
      state: {
        type: 'string',
        description: `Only these states, as a comma-separated list: ${rowStates.join(', ')}`,
      },
      agent: { type: 'string', description: "Only this agent's sessions" },
      text: {
        type: 'string',
        maxLength: 200,
        description: 'Only sessions whose id, agent or work contains this text',
      },
      since: { type: 'string', description: 'Only sessions that changed at or after this time' },
    },
    schema: pageSchema(schemaRef('SessionRow')),
    version: rowsVersion,
    answer({ query }, { index, hub }) {
      const { limit = 100, after, ...filter } = query
      rejectUnknownStates(filter.state)
      const at = hub.at()
      return { body: { at, ...index.list(filter, limit, after) } }
    },
  },
  getSession: {
    operation: 'getSession',
    role: 'viewer',
    summary: "Get a session's header, without its prompt",
    schema: schemaRef('SessionDetail'),
    async answer({ params: { id } }, context) {
      const stored = await requireSession(context, id)
      const { spec } = stored
      const owner = runningProcess(context.home, spec.root)
      if (!context.index.has(id)) context.index.set(factsOfSession(stored, () => owner !== undefined))
      const row = context.index.row(id)
      if (row === undefined) throw new HttpProblem(404, 'The session was deleted.', { code: 'not_found' })
      return { body: sessionDetail(stored, row, owner) }
    },
  },
  getTree: {
    operation: 'getTree',
    role: 'viewer',
    summary: 'Get a session and everything below it, parents before children',
    schema: objectSchema({ at: textSchema, rows: listSchema(schemaRef('SessionRow')) }),
    version: rowsVersion,
    answer({ params: { id } }, { index, hub }) {
      const at = hub.at()
      const rows = index.tree(id)
      if (rows.length === 0)
        throw new HttpProblem(404, `There is no session ${JSON.stringify(id)}.`, { code: 'not_found' })
      return { body: { at, rows } }
    },
  },
  listEntries: {
    operation: 'listEntries',
    role: 'viewer',
    summary: 'List journal entries: the newest, or those before or after a number',
    query: {
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: entriesPerPage },
      after: {
        type: 'integer',
        minimum: 0,
        description: 'Only entries with a higher number than this; returns the lowest numbers',
      },
      before: {
        type: 'integer',
        minimum: 1,
        description: 'Only entries with a lower number than this; returns the highest numbers',
      },
    },
    schema: objectSchema({
      at: textSchema,
      total: countSchema,
      entries: listSchema(schemaRef('Entry')),
      'before?': countSchema,
      etag: textSchema,
    }),
    async answer({ params: { id }, query }, context) {
      const { limit = entriesPerPage, after, before } = query
      // Read first, so that no event is missed. An event may arrive twice instead.
      const at = context.hub.at()
      const { entries: all } = await requireSession(context, id)
      const fitting = all.filter(
        ({ seq }) => (after === undefined || seq > after) && (before === undefined || seq < before),
      )
      const entries = after === undefined ? fitting.slice(-limit) : fitting.slice(0, limit)
      const first = entries[0]
      const hasEarlier = first !== undefined && all[0] !== first
      const etag = etagOf(context.sessions.bytes(id) ?? '')
      return {
        body: { at, total: all.length, entries, ...(hasEarlier && { before: first.seq }), etag },
      }
    },
  },
  getJournal: {
    operation: 'getJournal',
    role: 'viewer',
    summary: "Get a session file's text",
    schema: objectSchema({ text: textSchema, etag: textSchema }),
    async answer({ params: { id } }, context) {
      await requireSession(context, id)
      const bytes = context.sessions.bytes(id) ?? Buffer.alloc(0)
      const etag = etagOf(bytes)
      return { body: { text: bytes.toString('utf8'), etag }, etag }
    },
  },
  getCall: {
    operation: 'getCall',
    role: 'viewer',
    summary: 'Get a call: its input, who allowed it and why, and its result',
    schema: schemaRef('CallDetail'),
    async answer({ params: { id, call } }, context) {
      const stored = await requireSession(context, id)
      const detail = readCallDetail(stored, call)
      if (detail === undefined)
        throw new HttpProblem(404, `Session ${id} has no call ${JSON.stringify(call)}.`, {
          code: 'not_found',
        })
      return { body: detail }
    },
  },
}

/** Rows change without events while nobody follows the stream, and the position changes without rows. */
function rowsVersion({ index, hub }: RouteContext): string {
  return `${hub.at()} ${index.version()}`
}

function rejectUnknownStates(states: string | undefined): void {
  const known: readonly string[] = rowStates
  const unknown = states?.split(',').find((state) => !known.includes(state))
  if (unknown !== undefined)
    throw new HttpProblem(
      400,
      `Unknown state ${JSON.stringify(unknown.slice(0, 80))}. Known: ${known.join(', ')}.`,
      { code: 'usage' },
    )
}
