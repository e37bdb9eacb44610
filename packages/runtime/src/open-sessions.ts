import { readdirSync } from 'node:fs'
import { CadreError, didYouMean, type StoredSession } from '@cadre/core'
import type { ProcessIdentity } from '@cadre/disk'
import { type Home, runningProcess } from '@cadre/home'
import type { SessionSummary } from '@cadre/journal'
import type { Environment } from './environment.ts'
import { requireTrustedHome, type TrustFlags } from './home-trust.ts'
import { type OpenedEngine, openEngine, unusableHome } from './open-engine.ts'
import { homeOf } from './user-paths.ts'

/** Reads the sessions of a home. */
export interface Sessions {
  readonly home: Home
  readonly engine: OpenedEngine
  /** All sessions, newest first. */
  list(): Promise<readonly SessionSummary[]>
  /** Finds the id with this prefix. Rejects if there is none, or more than one. */
  find(beginning: string): Promise<string>
  /** Reads a session. Rejects if it does not exist or cannot be read. */
  read(id: string): Promise<StoredSession>
  /** A session and all sessions below it, parents before children. */
  tree(root: string): AsyncIterable<StoredSession>
  fileOf(id: string): string
  /** The process that is running the tree of this session. */
  owner(root: string): ProcessIdentity | undefined
  close(): Promise<void>
}

/** Opens the sessions of a trusted home, to resume, answer or cancel them. Rejects if the home is not trusted. */
export async function openTrustedSessions(io: Environment, flags: TrustFlags): Promise<Sessions> {
  return openSessions(io, (await requireTrustedHome(io, flags)).path)
}

/** Opens the sessions of a home to read them. The home need not be trusted. */
export async function openSessions(io: Environment, home: string | undefined): Promise<Sessions> {
  const place = homeOf(io, home)
  return sessionsOf(place, await openEngine(place, io.warn, { env: io.env }))
}

export function sessionsOf(home: Home, engine: OpenedEngine): Sessions {
  const list = async () => {
    const all = await engine.list().catch((error) => {
      throw unusableHome(home, error)
    })
    return all.toSorted((a, b) => (a.created === b.created ? order(a.id, b.id) : order(b.created, a.created)))
  }
  const read = async (id: string) => {
    const stored = await engine.read(id)
    if (stored === undefined)
      throw new CadreError('not_found', `there is no session ${id} in ${home.at('sessions')}.`)
    return stored
  }
  return {
    home,
    engine,
    list,
    read,
    find: async (beginning) => {
      const fitting = idsWithPrefix(home, beginning)
      const [only] = fitting
      if (only !== undefined && fitting.length === 1) return only
      if (fitting.length > 1) {
        const shown = fitting.slice(0, 5).join(', ')
        throw new CadreError(
          'usage',
          `${fitting.length} sessions begin with ${JSON.stringify(beginning)}: ${shown}${fitting.length > 5 ? ', …' : ''}. Enter more characters of the id.`,
        )
      }
      const hint =
        didYouMean(beginning, idsIn(home.at('sessions'))) ||
        '. Run "cadre sessions list" to list the sessions.'
      throw new CadreError(
        'not_found',
        `there is no session ${JSON.stringify(beginning)} in ${home.at('sessions')}${hint}`,
      )
    },
    async *tree(root) {
      const children = new Map<string, string[]>()
      for (const { id, parent } of (await list()).toReversed()) {
        const above = parent?.split('/')[0]
        if (above === undefined) continue
        const siblings = children.get(above)
        if (siblings === undefined) children.set(above, [id])
        else siblings.push(id)
      }
      const waiting = [root]
      const seen = new Set<string>()
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        // Headers can be edited: a session that claims to be below itself is read once.
        if (seen.has(id)) continue
        seen.add(id)
        yield await read(id)
        waiting.push(...(children.get(id) ?? []).toReversed())
      }
    },
    fileOf: (id) => home.at('sessions', `${id}.session.yaml`),
    owner: (root) => runningProcess(home, root),
    close: () => engine.close(),
  }
}

const ending = '.session.yaml'

/** Searches file names only, so that unreadable sessions are found and their errors reported. */
export function idsWithPrefix(home: Home, beginning: string): string[] {
  const ids = idsIn(home.at('sessions'))
  if (ids.includes(beginning)) return [beginning]
  return beginning === '' ? [] : ids.filter((id) => id.startsWith(beginning))
}

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) =>
      name.endsWith(ending) ? [name.slice(0, -ending.length)] : [],
    )
  } catch {
    return []
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
