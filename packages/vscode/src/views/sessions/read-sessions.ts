/** Reads the sessions of a home for the view. Loaded on first use, because it needs the engine. */
import { readdirSync, statSync } from 'node:fs'
import {
  applyToView,
  emptyView,
  eventsOf,
  isEndedStatus,
  messageOf,
  parseJson,
  type SessionView,
  type StoredSession,
  workWithoutHeadings,
} from '@cadre/core'
import { shownLine } from '@cadre/gate'
import { type Home, runningProcess } from '@cadre/home'
import { sessionSummaryOf } from '@cadre/journal'
import type { Sessions } from '@cadre/runtime'
import { buildForest, type ListedSession, type SessionForest } from './session-forest.ts'
import { type Activity, type SessionDetail, type SessionItem, stateOf } from './session-item.ts'

export interface SessionReader {
  /** The content of the view. Reads the headers of changed files, and the journals of running or waiting sessions. */
  read(): Promise<LoadedSessions>
}

export interface LoadedSessions {
  readonly forest: SessionForest
  item(id: string): SessionItem | undefined
}

export interface SessionReaderOptions {
  readonly home: Home
  /** Opened only for running or waiting sessions, and closed again. */
  readonly open: () => Promise<Sessions | undefined>
}

const ending = '.session.yaml'
/** The number of files per turn of the event loop. */
const filesPerTurn = 200
/** The maximum number of journals read for current activity, newest first. */
const maxJournals = 50

export function createSessionReader({ home, open }: SessionReaderOptions): SessionReader {
  const known = new Map<string, { readonly stamp: string; readonly entry: ListedSession | undefined }>()
  const activities = new Map<string, { readonly stamp: string; readonly activity: Activity }>()

  const readEntries = async (): Promise<ListedSession[]> => {
    const ids = idsIn(home.at('sessions'))
    const present = new Set(ids)
    for (const id of known.keys()) if (!present.has(id)) known.delete(id)
    const entries: ListedSession[] = []
    for (const [index, id] of ids.entries()) {
      if (index % filesPerTurn === filesPerTurn - 1) await new Promise((resolve) => setImmediate(resolve))
      const stamp = stampOf(home.at('sessions', `${id}${ending}`))
      if (stamp === undefined) continue
      const before = known.get(id)
      const entry = before?.stamp === stamp ? before.entry : entryOf(home, id)
      known.set(id, { stamp, entry })
      if (entry !== undefined) entries.push(entry)
    }
    return entries
  }

  const readActivities = async (wanted: readonly string[]): Promise<void> => {
    for (const id of activities.keys()) if (!wanted.includes(id)) activities.delete(id)
    const stale = wanted.filter((id) => activities.get(id)?.stamp !== known.get(id)?.stamp)
    if (stale.length === 0) return
    const sessions = await open()
    if (sessions === undefined) return
    try {
      for (const id of stale) {
        const stored = await sessions.engine.read(id).catch(() => undefined)
        const stamp = known.get(id)?.stamp
        if (stored !== undefined && stamp !== undefined)
          activities.set(id, { stamp, activity: activityOf(stored) })
      }
    } finally {
      await sessions.close()
    }
  }

  return {
    async read() {
      const forest = buildForest(await readEntries())
      const owners = new Map<string, 'here' | 'elsewhere' | undefined>()
      const ownerOf = (root: string) => {
        if (!owners.has(root)) owners.set(root, ownerIn(home, root))
        return owners.get(root)
      }
      const isOpen = ({ id, status }: ListedSession) =>
        status === 'sleeping' || (status === 'active' && ownerOf(forest.rootOf(id)) !== undefined)
      const open = [...forest.entries.values()].filter(isOpen)
      const newest = open.sort((a, b) => (a.updated < b.updated ? 1 : -1)).slice(0, maxJournals)
      await readActivities(newest.map(({ id }) => id))
      // A session that delegated is suspended while a session below it waits.
      const waitingRoots = new Set(
        open.flatMap(({ id }) => (activities.get(id)?.activity.waits === false ? [] : [forest.rootOf(id)])),
      )
      const waits = (id: string, { status }: ListedSession) =>
        status === 'sleeping' ? waitingRoots.has(forest.rootOf(id)) : activities.get(id)?.activity.waits
      return {
        forest,
        item(id) {
          const entry = forest.entries.get(id)
          if (entry === undefined) return undefined
          const root = forest.rootOf(id)
          const activity = activities.get(id)?.activity
          const hasEnded = isEndedStatus(entry.status)
          const owner = hasEnded ? undefined : ownerOf(root)
          return {
            ...entry,
            state: stateOf(entry, entry.status === 'active' ? owner : undefined, waits(id, entry)),
            ...(activity && { activity: activity.text }),
            hasChildren: forest.children.has(id),
            isRoot: root === id,
            owner,
          }
        },
      }
    },
  }
}

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) =>
      name.endsWith(ending) && !name.startsWith('.') ? [name.slice(0, -ending.length)] : [],
    )
  } catch {
    return []
  }
}

function stampOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`
}

function entryOf(home: Home, id: string): ListedSession | undefined {
  try {
    const summary = sessionSummaryOf(home, id)
    if (summary === undefined) return undefined
    const { agent, parent, work, ...rest } = summary
    return {
      ...rest,
      agent: shownLine(agent, 60),
      ...(parent !== undefined && { parent: parent.split('/')[0] ?? '' }),
      ...(work !== undefined && { work: shownLine(workWithoutHeadings(work), 200) }),
    }
  } catch (error) {
    // An unreadable file is shown as such, so that it can be repaired.
    const file = statSync(home.at('sessions', `${id}${ending}`), { throwIfNoEntry: false })
    const time = file?.mtime.toISOString() ?? ''
    const fault = shownLine(messageOf(error), 500)
    return { id, agent: shownLine(id, 60), status: 'error', created: time, updated: time, fault }
  }
}

function ownerIn(home: Home, root: string): 'here' | 'elsewhere' | undefined {
  const owner = runningProcess(home, root)
  if (owner === undefined) return undefined
  return owner.pid === process.pid ? 'here' : 'elsewhere'
}

function viewOf(stored: StoredSession): SessionView | undefined {
  const view = emptyView()
  for (const event of eventsOf(stored)) applyToView(view, event)
  return view.sessions.get(stored.spec.id)
}

/** The current activity of a session, in a few words. */
function activityOf(stored: StoredSession): Activity {
  const session = viewOf(stored)
  const [question] = session?.questions.values() ?? []
  if (question !== undefined) return { text: shownLine(question.text, 120), waits: true }
  const round = session?.rounds.at(-1)
  if (round === undefined) return { text: 'starting', waits: false }
  const open = round.toolCalls.filter(({ status }) => status === 'running' || status === 'pending')
  const [call] = open
  if (call === undefined) return { text: `round ${round.roundId}`, waits: false }
  const more = open.length === 1 ? '' : ` (+${open.length - 1})`
  return { text: `${shownLine(call.name, 40)} ${targetOf(call.input)}${more}`.trim(), waits: false }
}

const argumentKeys = ['path', 'filePath', 'command', 'query', 'url', 'agentName', 'description', 'to']

/** The argument that distinguishes calls to a tool. */
function targetOf(input: string): string {
  const parsed = parseJson(input)
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) return ''
  const fields = parsed.value as Record<string, unknown>
  const value = argumentKeys.map((name) => fields[name]).find((one) => typeof one === 'string')
  return typeof value === 'string' ? shownLine(value, 80) : ''
}

export function detailOf(stored: StoredSession): SessionDetail | undefined {
  const session = viewOf(stored)
  if (session === undefined) return undefined
  const { model, rounds, calls, usage, notices } = session
  const notice = notices.at(-1)
  return {
    model: shownLine(model, 80),
    rounds: rounds.length,
    calls,
    input: usage.input,
    output: usage.output,
    ...(usage.cost !== undefined && { cost: usage.cost }),
    ...(usage.premium !== undefined && { premium: usage.premium }),
    ...(notice && { notice: shownLine(notice.message, 300) }),
  }
}
