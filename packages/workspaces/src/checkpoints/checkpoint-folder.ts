/**
 * Owns the checkpoints of one folder: `storage/checkpoints/<key>` of a home. Several processes may use it; everything happens under
 * one lock.
 *
 * 1. Cadre scans the folder, or the files that a call names, right before and right after each call. Calls that start or
 *    finish at the same time share a scan. A difference is attributed to the calls that were running between two scans. If
 *    none was running, someone else made the change.
 * 2. The changes of a turn are written before the picture that contains them, and the picture before the note that the
 *    call was running is removed. So after a crash a change is seen twice, which is recognised, and never missed.
 * 3. Contents are stored before a record names them. Content that a turn replaced is copied to the store, not borrowed.
 * 4. Nothing in the folder is ever changed here.
 */
import { hash, randomUUID } from 'node:crypto'
import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { hasCode, isInside, listFolder, ownerOnly, type Repository, realPathOf, statsAt } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { absentState, type FileState, isSameState } from './file-state.ts'
import { FolderScanner } from './folder-scanner.ts'
import { FolderSnapshot } from './folder-snapshot.ts'
import { type Content, ObjectStore } from './object-store.ts'
import { type PathStats, plainState, readPathStatsIn } from './path-stats.ts'
import { type RunningCall, RunningCallFiles } from './running-call-files.ts'
import type { ScanLimits } from './scan-folder.ts'
import { withStoreLock } from './store-lock.ts'
import {
  type AttributionUncertainty,
  type Change,
  listTurns,
  nextTurnId,
  readTurn,
  removeTurn,
  sessionOfTurn,
  type TurnRecord,
  withChanges,
  writeTurn,
} from './turn-record.ts'

export interface CheckpointLimits extends ScanLimits {
  /** The maximum size of a file in bytes. The content of a larger one is not stored. */
  readonly maxFileSize: number
  /** The maximum bytes that one scan may add to the store, before compression. */
  readonly bytes: number
  /** The maximum age of a checkpoint in days. */
  readonly days: number
  /** The maximum number of turns per folder; older ones are removed. */
  readonly turns: number
}

export const defaultLimits: CheckpointLimits = {
  files: 200_000,
  filesApart: 2_000,
  maxFileSize: 50 << 20,
  bytes: 1 << 30,
  days: 14,
  turns: 200,
}

export interface Difference {
  readonly path: string
  readonly before: FileState
  readonly after: FileState
}

export class CheckpointFolder {
  readonly home: Home
  /** With links resolved. */
  readonly top: string
  readonly objects: ObjectStore
  readonly #repository: Repository | undefined
  readonly #limits: CheckpointLimits
  readonly #key: string
  readonly #picture: FolderSnapshot
  readonly #scanner: FolderScanner
  /** Calls that are recorded as running. */
  readonly running: RunningCallFiles
  #uncovered: readonly string[] = []

  constructor(home: Home, top: string, repository: Repository | undefined, limits: CheckpointLimits) {
    this.home = home
    this.top = top
    this.#repository = repository
    this.#limits = limits
    this.#key = hash('sha256', top).slice(0, 24)
    this.objects = new ObjectStore(this.at('git'), top)
    this.#picture = new FolderSnapshot(this.at('picture.json'))
    this.running = new RunningCallFiles(this.at('running'))
    this.#scanner = new FolderScanner({
      top,
      without: realPathOf(home.path),
      repository,
      objects: this.objects,
      index: this.at(`${indexName}${randomUUID()}`),
      limits,
    })
  }

  at(...names: string[]): string {
    return this.home.at('storage', 'checkpoints', this.#key, ...names)
  }

  get turns(): string {
    return this.at('turns')
  }

  /** True if anything was ever recorded. */
  get exists(): boolean {
    return existsSync(this.turns)
  }

  /** Runs `work` while no other process uses these checkpoints. */
  locked<T>(work: () => Promise<T>): Promise<T> {
    return withStoreLock(this.home, `checkpoints-${this.#key}`, async () => {
      for (const name of ['turns', 'running']) this.home.folder('storage', 'checkpoints', this.#key, name)
      if (!existsSync(this.at('folder')))
        writeFileSync(this.at('folder'), `${this.top}\n`, { mode: ownerOnly })
      await this.objects.open(this.#repository)
      this.#picture.load()
      try {
        return await work()
      } catch (error) {
        this.#picture.drop()
        throw error
      }
    })
  }

  /** Converts a path of a call to this folder, with its parents; empty if it is elsewhere. */
  namesOf(place: string): readonly string[] {
    const direct = path.join(realPathOf(path.dirname(place)), path.basename(place))
    const names = new Set<string>()
    for (const real of [direct, realPathOf(place)]) {
      if (!isInside(this.top, real) || real === this.top || isInside(realPathOf(this.home.path), real))
        continue
      const parts = path.relative(this.top, real).split(path.sep)
      if (parts.includes('.git')) continue
      for (let length = 1; length <= parts.length; length++) names.add(parts.slice(0, length).join('/'))
    }
    return [...names]
  }

  /** Under the lock. Creates a turn, or continues one. */
  turnFor(session: string, known: string | undefined, prompt: string): TurnRecord {
    const before = known === undefined ? undefined : readTurn(this.turns, known)
    if (before !== undefined && before.undone === undefined) return before
    const now = new Date().toISOString()
    const turn: TurnRecord = {
      id: nextTurnId(this.turns, session),
      session,
      prompt: prompt.slice(0, 200),
      started: now,
      updated: now,
      generation: this.#picture.generation,
      changes: {},
      uncovered: [],
    }
    writeTurn(this.turns, turn)
    return turn
  }

  /** The newest turn of a session. */
  lastTurnOf(session: string): string | undefined {
    return listTurns(this.turns).find((id) => sessionOfTurn(id) === session)
  }

  /**
   * Under the lock. Scans once, when some calls have finished and before others start. Records the changes of the finished calls, and
   * that the others are running. A finished call that is not recorded as running is ignored.
   */
  async pass(finished: readonly string[], starting: readonly RunningCall[]): Promise<void> {
    if (starting.length > 0) await this.settleDead()
    const ids = new Set(finished)
    const all = this.running.list()
    const over = all.filter(({ id }) => ids.has(id))
    if (over.length + starting.length === 0) return
    await this.#attribute(await this.#observeFor([...over, ...starting]), all)
    for (const turn of new Set(over.flatMap((call) => (call.scope === 'all' ? [call.turn] : []))))
      this.#noteUncovered(turn)
    this.#picture.save()
    this.running.change({ start: starting, finish: finished })
  }

  /** Under the lock. Records why the changes of a turn are incomplete, and that the call has ended. */
  fail(turn: string, id: string, reason: string): void {
    this.running.change({ finish: [id] })
    const record = readTurn(this.turns, turn)
    if (record !== undefined && record.incomplete === undefined)
      writeTurn(this.turns, { ...record, incomplete: reason })
  }

  /** Under the lock. Records the changes of calls whose process has ended. */
  async settleDead(): Promise<void> {
    const dead = this.running.dead()
    if (dead.calls.length === 0) return
    await this.#attribute(await this.#observeFor(dead.calls), this.running.list(), 'interrupted')
    for (const { turn, scope: its } of dead.calls) if (its === 'all') this.#noteUncovered(turn)
    this.#picture.save()
    dead.forget()
  }

  /** Under the lock. Scans these paths, or the whole folder, and returns the differences from the last scan. */
  async observe(names: readonly string[], isAll = false): Promise<readonly Difference[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const seen = Date.now()
        const found = isAll ? await this.#everything() : new Map<string, PathStats | undefined>()
        for (const name of names) if (!found.has(name)) found.set(name, this.#lookAt(name))
        const differences = await this.#compare(found, seen)
        if (isAll) this.#scanner.prepareNext(this.#picture)
        return differences
      } catch (error) {
        // A file was replaced or removed while it was read.
        if (attempt >= 5 || hasCode(error, 'EACCES', 'ENOSPC') || !isTransient(error)) throw error
      }
    }
  }

  /** A path that a call names may be in a folder that a scan of everything does not cover. */
  #observeFor(calls: readonly Pick<RunningCall, 'scope'>[]): Promise<readonly Difference[]> {
    const names = new Set(calls.flatMap(({ scope }) => (scope === 'all' ? [] : scope)))
    const isAll = calls.some(({ scope }) => scope === 'all')
    return this.observe([...names], isAll)
  }

  save(): void {
    this.#picture.save()
  }

  stateOf(name: string): FileState {
    return this.#picture.stateOf(name)
  }

  /** Under the lock. Removes old checkpoints, at most once a day. */
  expire(now = Date.now()): void {
    const marker = this.at('expired')
    const last = statSync(marker, { throwIfNoEntry: false })?.mtimeMs
    if (last !== undefined && now - last < day) return
    if (last === undefined) writeFileSync(marker, '', { mode: ownerOnly })
    utimesSync(marker, now / 1000, now / 1000)
    const needed = this.#picture.objects()
    for (const [index, id] of listTurns(this.turns).entries()) {
      const turn = readTurn(this.turns, id)
      const isOld = turn === undefined || now - Date.parse(turn.updated) > this.#limits.days * day
      if (isOld || index >= this.#limits.turns) removeTurn(this.turns, id)
      else for (const { object } of contentsOf(turn)) needed.add(object)
    }
    this.objects.sweep(needed, now - day)
    for (const name of listFolder(this.at()))
      if (name.startsWith(indexName) && (statsAt(this.at(name))?.mtimeMs ?? 0) < now - day)
        rmSync(this.at(name), { force: true })
  }

  async #everything(): Promise<Map<string, PathStats | undefined>> {
    const { found, uncovered } = await this.#scanner.scan(this.#picture)
    this.#uncovered = uncovered
    const all = new Map<string, PathStats | undefined>(found)
    for (const name of this.#picture.paths()) if (!all.has(name)) all.set(name, this.#lookAt(name))
    return all
  }

  #lookAt(name: string): PathStats | undefined {
    this.place(name)
    return readPathStatsIn(this.top, name)
  }

  /** `seen`: when the scan started. */
  async #compare(
    found: ReadonlyMap<string, PathStats | undefined>,
    seen: number,
  ): Promise<readonly Difference[]> {
    const states = new Map<string, FileState>()
    const unknown: string[] = []
    let bytes = 0
    for (const [name, look] of found) {
      if (look === undefined) {
        if (this.#picture.stateOf(name).kind !== 'absent') states.set(name, absentState)
        continue
      }
      if (this.#picture.isSame(name, look)) {
        this.#picture.confirm(name, look, seen)
        continue
      }
      const state = plainState(this.place(name), look, this.#limits.maxFileSize)
      if (state !== undefined) states.set(name, state)
      else {
        unknown.push(name)
        bytes += look.size
      }
    }
    const isFirst = this.#repository !== undefined && this.#picture.isEmpty
    if (!isFirst && bytes > this.#limits.bytes)
      throw new Error(`${Math.round(bytes / 1e6)} MB of files in the folder are new or have changed`)
    const ids = await this.objects.put(unknown)
    for (const [index, name] of unknown.entries()) {
      const { mode, size } = found.get(name) as PathStats
      states.set(name, { kind: 'file', mode, size, object: ids[index] as string })
    }
    const differences: Difference[] = []
    for (const [name, after] of states) {
      const before = this.#picture.stateOf(name)
      this.#picture.set(name, after, found.get(name), seen)
      if (!isSameState(before, after)) differences.push({ path: name, before, after })
    }
    return differences
  }

  /** Returns the absolute path. A record that names a path outside was not written by Cadre. */
  place(name: string): string {
    const place = path.join(this.top, name)
    const parts = name.split('/')
    if (parts.some((part) => part === '..' || part === '.git') || !isInside(this.top, place))
      throw new CadreError(
        'corrupt',
        `a checkpoint names ${JSON.stringify(name)}, which is not a file in this folder.`,
        {
          where: this.at(),
        },
      )
    return place
  }

  async #attribute(
    differences: readonly Difference[],
    running: readonly RunningCall[],
    doubt?: AttributionUncertainty,
  ): Promise<void> {
    const byTurn = new Map<string, [string, Change][]>()
    for (const { path: name, before, after } of differences) {
      const namingCalls = running.filter(({ scope }) => scope !== 'all' && scope.includes(name))
      const possible = namingCalls.length > 0 ? namingCalls : running.filter(({ scope }) => scope === 'all')
      const turns = new Set(possible.map(({ turn }) => turn))
      const why = doubt ?? (turns.size > 1 ? 'contested' : undefined)
      for (const turn of turns) {
        const changes = byTurn.get(turn) ?? []
        changes.push([name, { before, after, ...(why && { doubt: why }) }])
        byTurn.set(turn, changes)
      }
    }
    for (const [id, changes] of byTurn) {
      const turn = readTurn(this.turns, id)
      if (turn === undefined) continue
      // Written before a crash, in which its picture was lost.
      const isRepeated = turn.generation > this.#picture.generation
      const fresh = changes.filter(
        ([name, { after }]) =>
          !isRepeated ||
          !Object.hasOwn(turn.changes, name) ||
          !isSameState(turn.changes[name]?.after ?? absentState, after),
      )
      const kept = await this.#keep(fresh)
      writeTurn(this.turns, {
        ...turn,
        updated: new Date().toISOString(),
        generation: this.#picture.generation + 1,
        changes: withChanges(turn.changes, kept),
      })
    }
  }

  /** Copies contents that were borrowed from the project's repository, which may remove them at any time. */
  async #keep(changes: readonly [string, Change][]): Promise<readonly [string, Change][]> {
    const contents = changes.flatMap(([, { before }]) => (before.kind === 'file' ? [before] : []))
    const lost = await this.objects.keep(contents)
    if (lost.size === 0) return changes
    return changes.map(([name, change]) => {
      const { before } = change
      if (before.kind !== 'file' || !lost.has(before.object)) return [name, change]
      return [name, { ...change, before: { kind: 'unstored', why: 'lost', stamp: before.object } }]
    })
  }

  #noteUncovered(id: string): void {
    if (this.#uncovered.length === 0) return
    const turn = readTurn(this.turns, id)
    if (turn === undefined) return
    const uncovered = [...new Set([...turn.uncovered, ...this.#uncovered])].sort()
    if (uncovered.length !== turn.uncovered.length) writeTurn(this.turns, { ...turn, uncovered })
  }
}

const day = 86_400_000
/** Each process has its own, and rewrites it if it is missing. */
const indexName = 'index-'

/** The contents that a turn needs. */
function contentsOf({ changes, undone }: TurnRecord): readonly Content[] {
  const states = [
    ...Object.values(changes).flatMap(({ before, after }) => [before, after]),
    ...(undone?.steps ?? []).flatMap(({ from, to }) => [from, to]),
  ]
  return states.flatMap((state) => (state.kind === 'file' ? [state] : []))
}

function isTransient(error: unknown): boolean {
  return (
    hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR') ||
    /^git hash-object failed/.test(String((error as Error).message))
  )
}
