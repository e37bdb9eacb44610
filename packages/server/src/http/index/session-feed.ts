/**
 * Keeps the index and the stream up to date. Owns the list of sessions that run in this process, and how much of every other journal was sent.
 *
 * 1. `build` first reads the headers of all files, so that lists are complete immediately. Then it reads the files in batches, newest first.
 * 2. Events in this process change the index as they happen. For a session that runs here, the file is read only after the session has ended.
 * 3. For sessions in other processes, the file is read when it has changed, and the new events are sent.
 * 4. A row is sent at most once every 100 ms. A file that takes long to read is read less often, no matter how often it changes.
 * 5. Nothing throws. If a file cannot be read, its last row remains; the daemon already reports the problem.
 */
import { type CadreEvent, eventsOf, nothingCounted, noUsage, type StoredSession } from '@cadre/core'
import { listFolder } from '@cadre/disk'
import { type Home, isSessionName, runningProcess } from '@cadre/home'
import { sessionSummaryOf } from '@cadre/journal'
import type { SessionReader } from '../api-context.ts'
import type { Hub } from '../stream/hub.ts'
import { applyEvent } from './apply-event.ts'
import { budgetOf, factsOfSession, factsOfSummary, shortWork } from './facts-of-session.ts'
import type { SessionFacts } from './session-facts.ts'
import type { SessionIndex } from './session-index.ts'

export interface SessionFeedOptions {
  readonly home: Home
  readonly index: SessionIndex
  readonly hub: Hub
  readonly sessions: SessionReader
  /** Called when a session's open questions may have changed. */
  readonly asked?: (session: string) => void
}

export interface SessionFeed {
  /** Reads all sessions. Resolves when the headers are read; the rest follows. */
  build(): Promise<void>
  /** Resolves when everything seen so far is read. For tests. */
  idle(): Promise<void>
  /** Handles an event from a session in this process. */
  take(event: CadreEvent): void
  /** Session files that were created, changed or deleted. */
  changed(ids: readonly string[]): void
  /** Finds sessions whose process has ended. Call it every few seconds. */
  checkProcesses(): void
  stop(): void
}

/** The number of whole files, and of headers, that are read in one turn of the event loop. */
const filesPerTurn = 5
const headsPerTurn = 100
/** If reading a file takes longer than this, in milliseconds, Cadre waits for a multiple of that time before it reads the file again. */
const slowMs = 20
const restFactor = 10
const maxRestMs = 5_000
const ending = '.session.yaml'
/** Used instead of a number of entries: the session ran here, so all of its events were sent. */
const ended = -1

export function createSessionFeed(options: SessionFeedOptions): SessionFeed {
  const { home, index, hub, sessions, asked = () => {} } = options
  /** Sessions that run in this process. Their events arrive here. */
  const here = new Set<string>()
  /** The number of journal entries that were sent, or that were known before the first reader connected. */
  const seen = new Map<string, number>()
  const due = new Set<string>()
  /** Files that took long to read and may not be read again yet. True if the file has changed in the meantime. */
  const resting = new Map<string, boolean>()
  let reading: Promise<void> | undefined
  let isStopped = false

  const isRunning = (root: string) => here.has(root) || runningProcess(home, root) !== undefined

  const readSoon = (ids: Iterable<string>) => {
    for (const id of ids) due.add(id)
    reading ??= readDue()
  }
  const readDue = async () => {
    // After the caller has stored the promise.
    await Promise.resolve()
    let count = 0
    for (const id of due) {
      if (isStopped) break
      due.delete(id)
      const start = performance.now()
      await read(id)
      rest(id, performance.now() - start)
      if (++count % filesPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    // In the same turn as the last check of `due`, so that nothing can be added to it unnoticed.
    reading = undefined
  }
  const rest = (id: string, tookMs: number) => {
    if (tookMs < slowMs) return
    resting.set(id, false)
    const end = () => {
      const hasChanged = resting.get(id) === true
      resting.delete(id)
      if (hasChanged && !isStopped) readSoon([id])
    }
    setTimeout(end, Math.min(maxRestMs, tookMs * restFactor)).unref()
  }
  const read = async (id: string) => {
    try {
      await readWhole(id)
    } catch {
      // A file that cannot be read keeps its row. "cadre status" reports it.
    }
  }
  const readWhole = async (id: string) => {
    const stored = await sessions.read(id)
    if (stored === undefined) {
      if (!here.has(id) && sessions.bytes(id) === undefined) forget(id)
      return
    }
    if (here.has(id) && index.has(id)) {
      keepHeader(stored)
      return
    }
    index.set(factsOfSession(stored, isRunning))
    sendNew(stored)
    asked(id)
  }
  /** A running session's events do not contain its limits. */
  const keepHeader = ({ spec }: StoredSession) => {
    const limits = budgetOf(spec)
    if (Object.keys(limits).length > 0) index.change(spec.id, (facts) => void Object.assign(facts, limits))
  }
  const sendNew = (stored: StoredSession) => {
    const { id } = stored.spec
    const { length } = stored.entries
    const before = seen.get(id)
    seen.set(id, length)
    const root = index.rootOf(id) ?? stored.spec.root
    if (before === length || before === ended || !hub.isAwake()) return
    // Repeated events have no effect, so if it is unknown what the reader has, everything is sent.
    if (before === undefined && !hub.isFollowed(root)) return
    const isShorter = before !== undefined && before > length
    const from = before === undefined || isShorter ? -1 : before
    const events = eventsOf(stored)
    if (isShorter) {
      const rounds = events.filter(({ type }) => type === 'round.started').length
      const edit = { type: 'journal.edited', summary: 'Entries were removed.', rounds } as const
      const event: CadreEvent = { ...edit, session: id, seq: length, at: stored.updated }
      hub.publish(() => ({ type: 'event', root, event }))
    }
    for (const event of events) if (event.seq > from) hub.publish(() => ({ type: 'event', root, event }))
  }
  const forget = (id: string) => {
    seen.delete(id)
    index.remove(id)
  }

  return {
    async build() {
      const ids = listFolder(home.at('sessions')).flatMap((name) =>
        name.endsWith(ending) && !name.startsWith('.') ? [name.slice(0, -ending.length)] : [],
      )
      for (const [count, id] of ids.entries()) {
        if (count % headsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
        if (isStopped) return
        try {
          const summary = index.has(id) ? undefined : sessionSummaryOf(home, id)
          if (summary !== undefined) index.set(factsOfSummary(summary))
        } catch {
          // An unreadable file has no row. "cadre status" reports it.
        }
      }
      readSoon(index.ids())
    },
    async idle() {
      readSoon([...resting].flatMap(([id, hasChanged]) => (hasChanged ? [id] : [])))
      while (reading !== undefined) await reading
    },
    take(event) {
      const { session: id } = event
      if (!here.has(id)) {
        here.add(id)
        if (event.type === 'session.started' && !index.has(id)) index.set(factsOfStart(event))
        readSoon([id])
      }
      if (event.type !== 'text.added') {
        index.change(id, (facts) => void applyEvent(facts, event))
        if (event.type === 'person.asked' || event.type === 'person.answered') asked(id)
      }
      const root = index.rootOf(id) ?? id
      if (event.type === 'text.added' || event.type === 'call.progressed')
        hub.send({ type: 'event', root, event })
      else hub.publish(() => ({ type: 'event', root, event }))
      if (event.type !== 'session.ended' && event.type !== 'session.suspended') return
      here.delete(id)
      seen.set(id, ended)
      readSoon([id])
    },
    changed(ids) {
      const known = ids.filter((id) => isSessionName(id) && !here.has(id))
      for (const id of known) if (resting.has(id)) resting.set(id, true)
      readSoon(known.filter((id) => !resting.has(id)))
    },
    checkProcesses() {
      const running = new Map<string, boolean>()
      const isOpen = ({ id, state }: SessionFacts) =>
        (state === 'working' || state === 'queued' || state === 'stopped') && !here.has(id)
      for (const facts of index.filter(isOpen)) {
        const { id } = facts
        const is = running.get(facts.root) ?? isRunning(facts.root)
        running.set(facts.root, is)
        if (is === (facts.state !== 'stopped')) continue
        index.change(id, (changed) => {
          changed.state = is ? 'working' : 'stopped'
        })
      }
    },
    stop() {
      isStopped = true
      due.clear()
    },
  }
}

function factsOfStart(event: Extract<CadreEvent, { type: 'session.started' }>) {
  const { session, agent, root, depth, parent, model, work, at } = event
  return {
    id: session,
    agent,
    root,
    depth,
    ...(parent && { parent: parent.session, call: parent.call }),
    state: 'working' as const,
    work: shortWork(work),
    model,
    created: at,
    updated: at,
    usage: noUsage,
    spent: nothingCounted,
    calls: 0,
    questions: new Map<string, string>(),
    asked: 0,
  }
}
