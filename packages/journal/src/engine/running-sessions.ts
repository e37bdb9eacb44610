import { fstatSync, readFileSync, statSync, unlinkSync } from 'node:fs'
import {
  type Answer,
  answerIn,
  CadreError,
  type Clock,
  type EarlierLives,
  isAsked,
  isEndedStatus,
  type Question,
  type Report,
  type ReportStatus,
  type SessionSpec,
} from '@cadre/core'
import { readRegularFile } from '@cadre/disk'
import type { Leases } from '@cadre/home'
import { checkSessionName, isUnsandboxedCommandRunningHere, placeKey, rememberOwnWrite } from '@cadre/home'
import { backUpTruncated } from './back-up-file.ts'
import { recordCharge } from './charges.ts'
import { continueJournal, type Snapshot, takeSnapshot } from './continue-journal.ts'
import { type EngineParts, sessionPath } from './engine-parts.ts'
import type { Recorder } from './recorder.ts'
import { SessionFile } from './session-file.ts'
import { type RunHost, SessionRun } from './session-run.ts'
import type { Trees } from './trees.ts'

/** Functions that the engine calls outside the package. */
export interface EngineCallbacks {
  readonly clock: Clock
  /** Answers immediately, later or not at all. Without an answer, the session is suspended. */
  readonly answer?: (
    session: string,
    question: Question,
    signal: AbortSignal,
  ) => Promise<Answer | undefined> | Answer | undefined
}

export interface RunningSessionsOptions {
  readonly parts: EngineParts
  readonly recorder: Recorder
  readonly trees: Trees
  readonly leases: Leases
  readonly outside: EngineCallbacks
}

/**
 * Owns which sessions are open in this process. Called by the engine and by runs.
 *
 * 1. A session has at most one run that may write. A second one is refused, as from another process.
 * 2. Nothing on disk changes before the journal is read and the lease of the tree is held.
 */
export class RunningSessions implements RunHost {
  readonly recorder: Recorder
  runner: (spec: SessionSpec) => Promise<Report> = () =>
    Promise.reject(new Error('unreachable: no runner is attached'))
  private readonly options: RunningSessionsOptions
  /** The value is undefined while the session is being opened. */
  private readonly writing = new Map<string, SessionRun | undefined>()
  /** The trees that each open session holds. */
  private readonly entered = new Map<string, readonly string[]>()
  private readonly children = new Map<string, Promise<Report>>()
  /** The last snapshot: callers read a session just before they resume it, and long journals take a while. */
  private lastRead: { readonly id: string; readonly snapshot: Snapshot } | undefined
  /** Snapshots of ended sessions, in case they are resumed. */
  private readonly snapshots = new WeakMap<SessionFile, Snapshot>()
  /** Files of sessions that are opened only to record an answer: no loop has read their entries. */
  private readonly forAnswer = new WeakSet<SessionFile>()

  constructor(options: RunningSessionsOptions) {
    this.options = options
    this.recorder = options.recorder
    // Called in the middle of a write or a heartbeat, so defer it.
    options.leases.onLost = (root) => queueMicrotask(() => this.lose(root))
  }

  async open(spec: SessionSpec): Promise<SessionRun> {
    const { parts, leases } = this.options
    checkSessionName(spec.id)
    checkSessionName(spec.root)
    const found = this.readBefore(spec.id) ?? takeSnapshot(spec.id, parts)
    refuseElsewhere(spec.id, found)
    if (found !== undefined && isEnded(found)) {
      leases.check(spec.root)
      const run = this.endedRun(spec, found)
      noticePrompt(run.file, spec)
      return run
    }
    await this.begin(spec)
    try {
      const snapshot = found && isCurrent(found, spec.id, parts) ? found : takeSnapshot(spec.id, parts)
      const file = new SessionFile(spec, sessionPath(parts.home, spec.id))
      if (snapshot?.journal === undefined) this.create(file, snapshot)
      else continueJournal(file, snapshot, parts)
      noticePrompt(file, spec)
      const run = new SessionRun(file, this, true)
      this.writing.set(spec.id, run)
      return await this.asRecorded(run, spec)
    } catch (error) {
      if (this.writing.has(spec.id)) this.end(spec.id)
      throw error
    }
  }

  /** Reads a session without owning it. */
  read(id: string): Snapshot | undefined {
    const snapshot = takeSnapshot(id, this.options.parts)
    this.lastRead = snapshot && { id, snapshot }
    return snapshot
  }

  private readBefore(id: string): Snapshot | undefined {
    const { lastRead } = this
    this.lastRead = undefined
    if (lastRead?.id !== id || !isCurrent(lastRead.snapshot, id, this.options.parts)) return undefined
    return lastRead.snapshot
  }

  /** Records an answer to a session's question. The session need not be open. Returns the answer that applies, as in `SessionRun`. */
  async answer(id: string, name: string, answer: Answer): Promise<Answer | undefined> {
    checkSessionName(id)
    const open = this.writing.get(id)
    if (open !== undefined) return open.answer(name, answer)
    const snapshot = takeSnapshot(id, this.options.parts)
    if (snapshot?.journal === undefined) throw new CadreError('not_found', `there is no session ${id}.`)
    const { entries, spec } = snapshot.journal
    const known = answerIn(entries, name)
    if (known !== undefined) return known
    if (!isAsked(entries, name) || isEnded(snapshot)) {
      throw new CadreError('not_found', `session ${id} is not waiting for an answer to ${name}.`)
    }
    const run = this.endedRun(spec, snapshot)
    this.forAnswer.add(run.file)
    await run.enter(false)
    try {
      return await run.answer(name, answer)
    } finally {
      run.abandon()
    }
  }

  async enter({ file }: SessionRun): Promise<void> {
    await this.begin(file.spec)
    const { parts } = this.options
    const known = this.snapshots.get(file)
    const isKnown = known !== undefined && isCurrent(known, file.id, parts)
    // If the file has changed since, the next write treats the change as a person's edit. For an answer it is read again, because
    // another process may have recorded one in between.
    const snapshot = isKnown ? known : this.forAnswer.has(file) ? takeSnapshot(file.id, parts) : undefined
    if (snapshot?.journal === undefined) return
    try {
      continueJournal(file, snapshot, parts)
    } catch (error) {
      this.end(file.id)
      throw error
    }
  }

  /** Restores the files of open sessions if they were changed. */
  restoreOpenFiles(): void {
    for (const run of this.writing.values()) if (run !== undefined) this.watchEdits(run.file)
  }

  private watchEdits(file: SessionFile): void {
    this.recorder.look(file)
    this.recorder.flush()
    const content = attempt(() => readRegularFile(file.path))
    if (content !== undefined) rememberOwnWrite(file.path, content)
  }

  private lose(root: string): void {
    for (const [id, trees] of [...this.entered]) if (trees.includes(root)) this.writing.get(id)?.lose()
  }

  alone(root: string): Promise<EarlierLives> {
    const { leases, outside } = this.options
    const delay = leases.noticeDelay(root)
    if (delay === undefined) return Promise.resolve('here')
    if (delay === 0) return Promise.resolve('elsewhere')
    return new Promise((resolve) => {
      outside.clock.after(delay, () => {
        leases.endNotice(root)
        resolve('elsewhere')
      })
    })
  }

  leave({ file }: SessionRun): void {
    // The file is no longer checked when the command ends.
    if (isUnsandboxedCommandRunningHere(this.options.parts.home)) this.watchEdits(file)
    this.options.parts.files.close(file)
    this.end(file.id)
  }

  /** A running child is not started again: a second call gets the same report. */
  spawn(spec: SessionSpec): Promise<Report> {
    let report = this.children.get(spec.id)
    if (report === undefined) {
      report = this.runner(spec).finally(() => this.children.delete(spec.id))
      this.children.set(spec.id, report)
    }
    return report
  }

  async ask(session: string, question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    return this.options.outside.answer?.(session, question, signal)
  }

  /** One process at a time spends from a budget, so a session that spends from another tree's budget also owns that tree. */
  private async begin({ id, root, limits }: Pick<SessionSpec, 'id' | 'root' | 'limits'>): Promise<void> {
    if (this.writing.has(id)) {
      throw new CadreError('owned', `session ${id} is already open in this process. Wait for it to finish.`)
    }
    this.writing.set(id, undefined)
    const entered: string[] = []
    this.entered.set(id, entered)
    try {
      for (const tree of limits.charged === undefined ? [root] : [root, limits.charged.root]) {
        checkSessionName(tree)
        await this.options.trees.enter(tree)
        entered.push(tree)
      }
    } catch (error) {
      this.end(id)
      throw error
    }
  }

  private end(id: string): void {
    this.writing.delete(id)
    for (const tree of this.entered.get(id) ?? []) this.options.trees.leave(tree)
    this.entered.delete(id)
  }

  private create(file: SessionFile, fragment: Snapshot | undefined): void {
    const { parts } = this.options
    parts.home.folder('sessions')
    recordCharge(parts.home, file.spec)
    if (fragment !== undefined) {
      // A process died while it created this session: nothing was recorded, so it is created now.
      if (fragment.size > 0) backUpTruncated(file.path, readFileSync(file.path))
      unlinkSync(file.path)
    }
    file.begin(parts.timestamp())
    file.remember(fstatSync(parts.files.create(file)))
    this.recorder.enqueue(file)
  }

  /** If a process died between the last entry and the header, the header of an ended session does not show the end. */
  private async asRecorded(run: SessionRun, spec: SessionSpec): Promise<SessionRun> {
    const outcome = recordedOutcome(run)
    if (outcome === undefined) {
      run.activate()
      return run
    }
    await run.end({ kind: 'ended', outcome })
    const snapshot = takeSnapshot(spec.id, this.options.parts)
    if (snapshot?.journal === undefined)
      throw new Error(`unreachable: session ${spec.id} was written but has no journal`)
    return this.endedRun(spec, snapshot)
  }

  private endedRun(spec: SessionSpec, snapshot: Snapshot): SessionRun {
    const file = new SessionFile(spec, sessionPath(this.options.parts.home, spec.id))
    if (snapshot.journal !== undefined) file.load(snapshot.journal)
    file.remember(snapshot.stats)
    this.snapshots.set(file, snapshot)
    return new SessionRun(file, this, false)
  }
}

/** The prompt in the file applies, even if it was edited while the session was not running. */
function noticePrompt(file: SessionFile, spec: SessionSpec): void {
  if (file.spec.systemPrompt === spec.systemPrompt.toWellFormed()) return
  file.change = 'The session file contains a different system prompt.'
}

/** Two engines must not run one session. */
function refuseElsewhere(id: string, found: Snapshot | undefined): void {
  const place = found?.journal?.extra[placeKey]
  if (typeof place !== 'string') return
  throw new CadreError(
    'owned',
    `session ${id} runs on the Restate engine, so only the workers of place ${place} can run it. Start the daemon with "cadre up": it passes your messages and decisions on to the session.`,
  )
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

function isEnded({ journal }: Snapshot): boolean {
  return isEndedStatus(journal?.status)
}

function isCurrent({ stats }: Snapshot, id: string, { home }: EngineParts): boolean {
  const now = statSync(sessionPath(home, id), { throwIfNoEntry: false })
  return (
    now?.ino === stats.ino &&
    now.size === stats.size &&
    now.mtimeMs === stats.mtimeMs &&
    now.ctimeMs === stats.ctimeMs
  )
}

function recordedOutcome({ recorded }: SessionRun): ReportStatus | undefined {
  const last = recorded.at(-1)
  if (last?.role !== 'event' || last.type !== 'session.ended') return undefined
  return (last['report'] as unknown as Partial<Report> | undefined)?.status
}
