/**
 * Answers the page's requests from an exported run instead of a server, so that the page can use the same code for both. It never sends a request
 * to a server, and rejects all changes.
 */
import type { EntriesPage, ExportedRun, ExportedSession, Me } from '@cadre/api'

type Fetch = typeof globalThis.fetch

const beatMs = 15_000
const at = 'export.0'

export function createExportedFetch(run: ExportedRun): Fetch {
  const sessions = new Map(run.sessions.map((session) => [session.detail.row.id, session]))
  return async (input, init) => {
    const { pathname, searchParams } = new URL(String(input), 'http://export')
    if ((init?.method ?? 'GET') !== 'GET')
      return problem(409, 'This file is read-only: it shows a run that has been exported.')
    if (pathname === '/api/events') return stream(init?.signal ?? undefined)
    const [, , resource = '', id, part, call] = pathname.split('/').map(decodeURIComponent)
    if (resource === 'me') return json(me(run))
    if (resource === 'approvals') return answerApproval(run, id, part, searchParams)
    if (resource === 'problems') return json({ items: [] })
    if (resource !== 'sessions') return problem(404, 'This file contains only one run.')
    if (id === undefined) return json({ at, items: rowsFor(run, searchParams) })
    const session = sessions.get(id)
    if (session === undefined)
      return problem(404, `This file does not contain the session ${JSON.stringify(id)}.`)
    return answerSession(run, session, part, call, searchParams)
  }
}

function answerSession(
  run: ExportedRun,
  session: ExportedSession,
  part: string | undefined,
  call: string | undefined,
  query: URLSearchParams,
): Response {
  const { id } = session.detail.row
  switch (part) {
    case undefined:
      return json(session.detail)
    case 'tree':
      return json({ at, rows: below(run, id) })
    case 'entries':
      return json(entriesPage(session, query))
    case 'journal':
      return problem(
        404,
        `This file does not contain the session's own file. On the machine that ran it: cadre sessions show ${id}`,
      )
    case 'calls': {
      const found = session.calls.find((one) => one.id === call)
      // Without a commit or a patch, the conversation already contains everything.
      return json(found ?? { id: call, session: id })
    }
    default:
      return problem(404, 'This file does not contain this data.')
  }
}

function answerApproval(
  run: ExportedRun,
  id: string | undefined,
  part: string | undefined,
  query: URLSearchParams,
): Response {
  if (id === undefined) return json({ at, items: approvals(run, query) })
  // The change depends on files that are not in the export.
  if (part === 'diff') return json({ patch: '', note: 'This file does not contain the change.' })
  const found = run.approvals.find((approval) => approval.id === id)
  return found === undefined ? problem(404, 'This file does not contain this approval.') : json(found)
}

function rowsFor(run: ExportedRun, query: URLSearchParams) {
  const text = query.get('text')?.toLowerCase()
  return run.sessions
    .map(({ detail }) => detail.row)
    .filter(
      ({ parent, id, agent, work }) =>
        (query.get('roots') !== 'true' || parent === undefined) &&
        (text === undefined || `${id} ${agent} ${work}`.toLowerCase().includes(text)),
    )
}

/** A session and everything below it. Parents come before children, so one pass finds all. */
function below(run: ExportedRun, id: string) {
  const inside = new Set([id])
  return run.sessions
    .map(({ detail }) => detail.row)
    .filter((row) => {
      if (row.id !== id && (row.parent === undefined || !inside.has(row.parent))) return false
      inside.add(row.id)
      return true
    })
}

function entriesPage({ entries: all }: ExportedSession, query: URLSearchParams): EntriesPage {
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined)
  const [limit = 100, after, before] = [number('limit'), number('after'), number('before')]
  const fitting = all.filter(
    ({ seq }) => (after === undefined || seq > after) && (before === undefined || seq < before),
  )
  const entries = after === undefined ? fitting.slice(-limit) : fitting.slice(0, limit)
  const [first] = entries
  const hasEarlier = first !== undefined && all[0] !== first
  return { at, total: all.length, entries, ...(hasEarlier && { before: first.seq }), etag: '' }
}

function approvals(run: ExportedRun, query: URLSearchParams) {
  const status = query.get('status') ?? 'pending'
  return run.approvals.filter((approval) => status === 'all' || approval.status === status)
}

function me({ version }: ExportedRun): Me {
  return { by: '', roles: ['viewer'], home: '', version, daemon: false, readOnly: true, sandbox: true }
}

/** A stream without events. Its keep-alives prevent the reader from reconnecting. */
function stream(signal: AbortSignal | undefined): Response {
  const beat = new TextEncoder().encode(': beat\n\n')
  let timer: ReturnType<typeof setInterval> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(beat)
      timer = setInterval(() => controller.enqueue(beat), beatMs)
      signal?.addEventListener('abort', () => {
        clearInterval(timer)
        controller.error(signal.reason)
      })
    },
    cancel: () => clearInterval(timer),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

function json(value: unknown): Response {
  return Response.json(value)
}

function problem(status: number, title: string): Response {
  return Response.json(
    { type: 'about:blank', title, status },
    { status, headers: { 'content-type': 'application/problem+json' } },
  )
}
