import { createHash, randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '@cadre/core'
import { listFolder } from '@cadre/disk'
import { appendInbox, lineFileBaseName, lineFileName, mailboxOfFile } from '@cadre/home'
import { httpPrefix } from '../../inbox/handle-line.ts'
import type { RouteContext } from '../api-context.ts'
import { starterOf } from '../guard/voter-of.ts'
import type { Routes } from '../http-route.ts'
import { readNewestLines } from '../lines/read-newest-lines.ts'
import { HttpProblem } from '../problem.ts'
import {
  anyObject,
  bodySchema,
  booleanSchema,
  objectSchema,
  pageSchema,
  pagingParameters,
} from '../schemas.ts'
import { requireOperate } from './start-once.ts'

type Name = 'listAudit' | 'listInbox' | 'addToInbox' | 'listOutbox' | 'listMailboxes'

/** Files with one JSON object per line: the audit log, and incoming, outgoing and internal messages. */
export const lineRoutes: Routes<Name> = {
  listAudit: {
    operation: 'listAudit',
    role: 'viewer',
    summary: 'List decisions and actions from the audit log, newest first',
    description:
      'Returns lines from events/*.jsonl. For each page, Cadre reads at most 8 MB, so a page can contain few items even though there is a `next` page.',
    query: {
      ...pagingParameters,
      type: { type: 'string', maxLength: 200, description: 'Only these types, as a comma-separated list' },
      session: { type: 'string', maxLength: 300, description: 'Only lines about this session' },
      decision: { type: 'string', maxLength: 100, description: 'Only this decision, such as deny' },
    },
    schema: pageSchema(anyObject),
    answer({ query }, context) {
      const { limit = 100, after, type, session, decision } = query
      const types = type === undefined ? undefined : new Set(type.split(','))
      const days = filesIn(context, 'events').filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name))
      return newest(context, 'events', days.toSorted().toReversed(), { limit, after }, (line) => {
        const fits =
          (types === undefined || types.has(String(line['type']))) &&
          (session === undefined || line['session'] === session) &&
          (decision === undefined || line['decision'] === decision)
        return fits ? line : undefined
      })
    },
  },
  listInbox: {
    operation: 'listInbox',
    role: 'viewer',
    summary: 'List incoming messages, file by file, newest line first',
    query: pagingParameters,
    schema: pageSchema(anyObject),
    answer: ({ query: { limit = 100, after } }, context) =>
      newest(context, 'inbox', lineFiles(context, 'inbox'), { limit, after }, withFile),
  },
  addToInbox: {
    operation: 'addToInbox',
    role: 'operator',
    needsDaemon: true,
    summary: 'Add a message to an inbox file; the routes in the configuration determine how Cadre handles it',
    status: 202,
    body: bodySchema({
      line: { type: 'object', description: 'The message. Put the text for agents in `text`' },
    }),
    schema: objectSchema({ added: booleanSchema }),
    async answer({ params: { file }, body: { line }, caller, idempotencyKey }, context) {
      if (!isObject(line)) throw new HttpProblem(400, '"line" must be an object.', { code: 'usage' })
      const name = requireLineFile(file)
      // A channel's own ids start differently, so a person cannot pretend that a message came from a channel.
      const id = httpPrefix + (idempotencyKey === undefined ? randomUUID() : idOf(caller.by, idempotencyKey))
      const at = new Date().toISOString()
      const added = await appendInbox(context.home, name, {
        ...(line as JsonObject),
        id,
        at,
        via: 'http',
        by: caller.by,
        starter: starterOf(caller),
      })
      if (added === 'new')
        requireOperate(context).daemon.note({
          type: 'inbox.added',
          message: `${caller.by} added a message to inbox/${name}.jsonl.`,
          file: `inbox/${name}.jsonl`,
          by: caller.by,
        })
      return { body: { added: added === 'new' } }
    },
  },
  listOutbox: {
    operation: 'listOutbox',
    role: 'viewer',
    summary: 'List outgoing messages and their states, file by file, newest line first',
    query: pagingParameters,
    schema: pageSchema(anyObject),
    answer: ({ query: { limit = 100, after } }, context) =>
      newest(context, 'outbox', lineFiles(context, 'outbox'), { limit, after }, (line, file) =>
        line['state'] === 'told' ? undefined : withFile(line, file),
      ),
  },
  listMailboxes: {
    operation: 'listMailboxes',
    role: 'viewer',
    summary: 'List messages between agents, mailbox by mailbox, newest message first',
    query: pagingParameters,
    schema: pageSchema(anyObject),
    answer: ({ query: { limit = 100, after } }, context) =>
      newest(
        context,
        'mailboxes',
        lineFiles(context, 'mailboxes').filter((name) => mailboxOfFile(name) !== undefined),
        { limit, after },
        withFile,
      ),
  },
}

interface Wanted {
  readonly limit: number
  readonly after: string | undefined
}

function newest(
  { home, hub }: RouteContext,
  folder: string,
  files: readonly string[],
  wanted: Wanted,
  pick: (line: JsonObject, file: string) => JsonObject | undefined,
) {
  const at = hub.at()
  return { body: { at, ...readNewestLines({ folder: home.at(folder), files, ...wanted, pick }) } }
}

/** Adds the file's path to a message as `file`. Its own fields do not change. */
function withFile(line: JsonObject, file: string): JsonObject {
  return { ...line, file: lineFileBaseName(file) ?? file }
}

function filesIn({ home }: RouteContext, folder: string): string[] {
  return listFolder(home.at(folder))
}

/** Sorted by name, so that pages stay consistent while files change. */
function lineFiles(context: RouteContext, folder: string): string[] {
  return filesIn(context, folder)
    .filter((name) => lineFileBaseName(name) !== undefined)
    .toSorted()
}

function requireLineFile(file: string): string {
  try {
    return lineFileName(file)
  } catch {
    throw new HttpProblem(
      400,
      `${JSON.stringify(file.slice(0, 100))} cannot be an inbox. Use letters, digits, dots, dashes and underscores.`,
      { code: 'usage' },
    )
  }
}

function idOf(by: string, key: string): string {
  return createHash('sha256').update(`${by}\0${key}`).digest('hex').slice(0, 24)
}
