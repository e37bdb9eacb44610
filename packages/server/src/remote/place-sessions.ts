import { CadreError, type StoredSession } from '@cadre/core'
import type { Home } from '@cadre/home'
import { type FileEngine, type ProjectedSession, readProjected } from '@cadre/journal'
import { idleStateOf } from '@cadre/runtime'

export interface PlaceSessionsOptions {
  readonly home: Home
  readonly engine: Pick<FileEngine, 'list'>
  /** The place whose workers run the sessions. */
  readonly place: string
}

/** The session files of a place. They are a projection of the record, so they may be older than it. */
export class PlaceSessions {
  readonly #options: PlaceSessionsOptions

  constructor(options: PlaceSessionsOptions) {
    this.#options = options
  }

  /** Throws if the file cannot be read. */
  read(session: string): StoredSession | undefined {
    return readProjected(this.#options.home, session)?.stored
  }

  /** Returns `undefined` if the file cannot be read. */
  readNow(session: string): StoredSession | undefined {
    try {
      return this.read(session)
    } catch {
      return undefined
    }
  }

  readonly readIfPossible = async (session: string): Promise<StoredSession | undefined> =>
    this.readNow(session)

  /** Throws if the workers of this place do not run the session. */
  requireHere(session: string): void {
    const { home, place } = this.#options
    const file = readProjected(home, session)
    if (file === undefined || file.place === place) return
    throw new CadreError(
      'configuration',
      file.place === undefined
        ? `${session} was not started with the Restate engine. Resume it with "cadre resume ${session}", or run "cadre up" without the engine.`
        : `${session} runs on the workers of place ${file.place}, but engine.place is ${place}. To continue it, set engine.place to ${file.place} and restart "cadre up".`,
    )
  }

  /** Whether the file of a session shows all of its record. */
  shows({ spec, status, outcome, entries }: StoredSession): boolean {
    const file = this.readNow(spec.id)
    if (file?.status !== status || file.outcome !== outcome) return false
    return file.entries.at(-1)?.seq === entries.at(-1)?.seq
  }

  /** Whether the session has a file, and the workers of this place run it. */
  isHere(session: string): boolean {
    return this.#ownFile(session) !== undefined
  }

  /** A session of this place that has not ended. */
  unfinished(session: string): StoredSession | undefined {
    const stored = this.#ownFile(session)?.stored
    return stored !== undefined && idleStateOf(stored).kind !== 'ended' ? stored : undefined
  }

  /** The roots of all trees of this place that have not ended, with their agents. */
  async unfinishedRoots(): Promise<ReadonlyMap<string, string>> {
    const roots = new Map<string, string>()
    for (const { id, status } of await this.#options.engine.list()) {
      if (status !== 'active' && status !== 'sleeping') continue
      const file = this.#ownFile(id)
      if (file !== undefined) roots.set(file.stored.spec.root, file.stored.spec.agent.name)
    }
    return roots
  }

  /** The file of a session of this place. The session duty reports a file that cannot be read. */
  #ownFile(session: string): ProjectedSession | undefined {
    const { home, place } = this.#options
    try {
      const file = readProjected(home, session)
      return file?.place === place ? file : undefined
    } catch {
      return undefined
    }
  }
}
