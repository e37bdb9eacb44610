import type { SearchHit, TaskItem } from '@cadre/api'
import { listFolder, readRegularFile } from '@cadre/disk'
import type { ApiContext } from '../api-context.ts'
import type { Routes } from '../http-route.ts'
import { booleanSchema, listSchema, objectSchema, schemaRef } from '../schemas.ts'
import { readTaskItems } from './task-items.ts'

/** The most that one request may read, and the longest that it may take. */
const maxBytes = 128 << 20
const maxMs = 3_000
const maxFileBytes = 8 << 20
const around = 80

export const searchRoutes: Routes<'search'> = {
  search: {
    operation: 'search',
    role: 'viewer',
    summary: 'Find text in sessions, tasks and memory',
    description:
      'The search ignores case and starts with the most recently changed sessions. `complete` is false if one request could not search everything.',
    query: {
      text: { type: 'string', minLength: 2, maxLength: 200, 'x-required': true },
      limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    },
    schema: objectSchema({ items: listSchema(schemaRef('SearchHit')), complete: booleanSchema }),
    async answer({ query: { text, limit = 50 }, signal }, context) {
      const search: Search = {
        wanted: text.toLowerCase(),
        limit,
        hits: [],
        left: maxBytes,
        until: performance.now() + maxMs,
        signal,
      }
      searchTasks(context, search)
      searchMemory(context, search)
      const isComplete = await searchSessions(context, search)
      return { body: { items: search.hits, complete: isComplete && search.hits.length < limit } }
    },
  },
}

interface Search {
  readonly wanted: string
  readonly limit: number
  readonly hits: SearchHit[]
  left: number
  readonly until: number
  readonly signal: AbortSignal
}

function searchTasks(context: ApiContext, search: Search): void {
  for (const { id, title, fields, file } of readTaskItems(context)) {
    const found = taskExcerpt(title, fields, search.wanted)
    if (found === undefined) continue
    const excerpt = found === '' ? file : `${file}: ${found}`
    if (!add(search, { kind: 'task', id, title, excerpt, url: `/tasks/${urlPart(id)}` })) return
  }
}

/** The field that contains the text, with its name. Empty if the title does, which is shown anyway. */
function taskExcerpt(title: string, fields: TaskItem['fields'], wanted: string): string | undefined {
  if (title.toLowerCase().includes(wanted)) return ''
  for (const [name, value] of Object.entries(fields)) {
    const excerpt = excerptOf(value, wanted)
    if (excerpt !== undefined) return `${name}: ${excerpt}`
  }
  return undefined
}

function searchMemory({ home }: ApiContext, search: Search): void {
  for (const name of listFolder(home.at('memory')).toSorted()) {
    if (!/^[^./\\][^/\\]*\.md$/.test(name)) continue
    const text = readText(home.at('memory', name), search)
    const excerpt = text === undefined ? undefined : excerptOf(text, search.wanted)
    if (excerpt === undefined) continue
    if (!add(search, { kind: 'memory', id: name, title: name, excerpt, url: '/search' })) return
  }
}

/** Returns whether all sessions were searched. */
async function searchSessions({ index, sessions }: ApiContext, search: Search): Promise<boolean> {
  for (const [position, id] of index.ids().entries()) {
    if (search.hits.length >= search.limit) return true
    if (position % 8 === 7) await new Promise((resolve) => setImmediate(resolve))
    if (search.signal.aborted || search.left <= 0 || performance.now() > search.until) return false
    const facts = index.facts(id)
    if (facts === undefined) continue
    const short = excerptOf(`${id} ${facts.agent}: ${facts.work}`, search.wanted)
    const excerpt = short ?? excerptOf(textOf(sessions.bytes(id), search), search.wanted)
    if (excerpt === undefined) continue
    add(search, {
      kind: 'session',
      id,
      title: facts.work,
      excerpt,
      at: facts.updated,
      url: `/sessions/${urlPart(id)}`,
    })
  }
  return true
}

function textOf(bytes: Buffer | undefined, search: Search): string {
  if (bytes === undefined) return ''
  search.left -= bytes.length
  return bytes.toString('utf8', 0, maxFileBytes)
}

function readText(file: string, search: Search): string | undefined {
  try {
    return textOf(readRegularFile(file), search)
  } catch {
    // Not a file, or removed meanwhile.
    return undefined
  }
}

/** Returns false when there are enough hits. */
function add({ hits, limit }: Search, hit: SearchHit): boolean {
  if (hits.length < limit) hits.push(hit)
  return hits.length < limit
}

/** The text around the first match, in one line. */
function excerptOf(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted)
  if (at < 0) return undefined
  const from = Math.max(0, at - around)
  const end = Math.min(text.length, at + wanted.length + around)
  const part = text.slice(from, end).toWellFormed().replace(/\s+/g, ' ').trim()
  return `${from > 0 ? '…' : ''}${part}${end < text.length ? '…' : ''}`
}

function urlPart(id: string): string {
  // The server takes the ending of a path for a file's, so dots are encoded.
  return encodeURIComponent(id).replaceAll('.', '%2E')
}
