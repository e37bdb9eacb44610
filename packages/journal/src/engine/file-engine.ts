import { existsSync, realpathSync } from 'node:fs'
import {
  type Answer,
  CadreError,
  type Engine,
  messageOf,
  type SessionSpec,
  type StoredSession,
  sentenceOf,
} from '@cadre/core'
import { hasCode, listFolder, type ProcessIdentity, thisProcess } from '@cadre/disk'
import { checkSessionName, type Home, Leases, onRestoreFiles } from '@cadre/home'
import type { ReadOptions } from '../format/read-journal.ts'
import { readSummary, type SessionSummary } from '../format/read-summary.ts'
import { sessionsChargedTo } from './charges.ts'
import { type EngineParts, type JournalDiagnostic, readOptions } from './engine-parts.ts'
import { OpenFiles } from './open-files.ts'
import { Recorder } from './recorder.ts'
import { recoverSessions } from './recover.ts'
import { type EngineCallbacks, RunningSessions } from './running-sessions.ts'
import { Trees } from './trees.ts'
import { WriteAhead } from './write-ahead.ts'

export interface FileEngineOptions extends EngineCallbacks {
  readonly home: Home
  /** Receives messages to the user about truncated, edited or restored files. */
  readonly diagnostics?: (diagnostic: JournalDiagnostic) => void
  /** Returns the agent's definition for a session that a person started by writing its file. */
  readonly adopt?: ReadOptions['adopt']
  /**
   * Called when an entry cannot be written, as on a full disk. While it returns true, the engine retries and the caller waits. Without it,
   * recording fails.
   */
  readonly shouldRetry?: (error: unknown) => boolean
  /** The size in bytes at which a segment is removed, after its files are synced. */
  readonly segmentLimit?: number
  /** The maximum number of open file descriptors. */
  readonly openFileLimit?: number
  /** Replaces the identity of this process, for tests of power loss and of other machines. */
  readonly identity?: Partial<ProcessIdentity>
}

export interface FileEngine extends Engine {
  /** Reads only the headers of the files. */
  list(): Promise<readonly SessionSummary[]>
  /**
   * Records a person's answer to a session's question. The session may be open or suspended. Returns the answer that applies: the first one. If the
   * question needs several approvals, the answer is a vote, and the result is `undefined` while it needs more of them. Rejects with
   * `owned` if another process runs the session, and with `not_found` if the session has no such question.
   */
  answer(session: string, name: string, answer: Answer): Promise<Answer | undefined>
  /**
   * Takes the lease of a tree that another engine runs, while this process writes its files. Rejects with `owned` if another process has
   * it. Each call needs one call of `letGo`.
   */
  hold(root: string): Promise<void>
  letGo(root: string): void
  /** Resolves when every tree whose run has ended here is released, so that nobody sees it as running. */
  released(): Promise<void>
  /** Closes half of its open files. Called when the process has run out of file descriptors. */
  freeDescriptors(): void
  /** Writes and syncs everything, and releases all leases. */
  close(): Promise<void>
}

/**
 * Creates the engine for one machine, with session files as the record. Repairs the effects of a power loss or a killed process before it
 * returns.
 */
export async function createFileEngine(options: FileEngineOptions): Promise<FileEngine> {
  const { home, clock } = options
  const report = options.diagnostics ?? (() => {})
  const self = thisProcess(options.identity)
  const leases = new Leases(home, self)
  const recovery = { home, self, leases, report }
  await recoverSessions(recovery)
  const ahead = new WriteAhead(home, self, options.segmentLimit ?? 8 << 20)
  const files = new OpenFiles(options.openFileLimit)
  const parts: EngineParts = {
    home,
    files,
    ahead,
    timestamp: timestamps(() => clock.now()),
    report,
    shouldRetry: options.shouldRetry ?? (() => false),
    ...(options.adopt && { adopt: options.adopt }),
  }
  const recorder = new Recorder(parts, leases)
  const trees = new Trees(leases, ahead, recovery)
  const sessions = new RunningSessions({ parts, recorder, trees, leases, outside: options })
  const endKeeping = onRestoreFiles((place) => {
    if (existsSync(home.path) && realpathSync(home.path) === place) sessions.restoreOpenFiles()
  })
  return {
    attach: (runner) => {
      sessions.runner = runner
    },
    open: (spec: SessionSpec) =>
      sessions.open(spec).catch((error) => {
        throw unusable(home, error)
      }),
    async read(id): Promise<StoredSession | undefined> {
      checkSessionName(id)
      recorder.flush()
      const journal = sessions.read(id)?.journal
      if (journal === undefined) return undefined
      const { spec, status, outcome, updated, entries } = journal
      // A copy, because a running session appends to its array.
      return { spec, status, outcome, updated, entries: [...entries] }
    },
    charged: async (root) => sessionsChargedTo(home, root),
    list() {
      recorder.flush()
      return listSessions(home, report)
    },
    answer: (session, name, answer) => sessions.answer(session, name, answer),
    async hold(root) {
      checkSessionName(root)
      await trees.enter(root)
    },
    letGo: (root) => trees.leave(root),
    released: () => trees.onLeft(),
    freeDescriptors: () => files.freeDescriptors(),
    async close() {
      endKeeping()
      await recorder.close()
      await trees.onLeft()
      await new Promise<void>((resolve, reject) =>
        ahead.checkpoint(undefined, (error) => (error === null ? resolve() : reject(error))),
      )
      files.closeAll()
      leases.close()
    },
  }
}

/** Turns a system error about the folder into one that a person can act on. */
function unusable(home: Home, error: unknown): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (error instanceof CadreError || code === undefined || syscall === undefined) return error
  const message = `cannot use the home directory ${home.path}: ${sentenceOf(error)} Make it writable, or choose another with --home.`
  return new CadreError('configuration', message, { cause: error })
}

/** Caches the last timestamp, because many entries share a millisecond. */
function timestamps(now: () => number): () => string {
  let last = Number.NaN
  let text = ''
  return () => {
    const time = now()
    if (time !== last) {
      last = time
      text = new Date(time).toISOString()
    }
    return text
  }
}

const ending = '.session.yaml'
/** How many files are read per turn of the event loop. */
const filesPerTurn = 200

/** Lists all sessions of a home by name. Reports and skips unreadable files. */
async function listSessions(
  home: Home,
  report: (diagnostic: JournalDiagnostic) => void,
): Promise<SessionSummary[]> {
  const names = listFolder(home.at('sessions')).filter(
    (name) => name.endsWith(ending) && !name.startsWith('.'),
  )
  const summaries: SessionSummary[] = []
  for (const [index, name] of names.sort().entries()) {
    if (index % filesPerTurn === filesPerTurn - 1) await new Promise((resolve) => setImmediate(resolve))
    const id = name.slice(0, -ending.length)
    const options = readOptions({ home }, id)
    try {
      const summary = readSummary(options)
      if (summary !== undefined) summaries.push(summary)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) continue
      // One unreadable file must not hide the others.
      const where = (error instanceof CadreError ? error.where : undefined) ?? options.path
      report({ code: 'journal.unreadable', message: messageOf(error), session: id, where })
    }
  }
  return summaries
}
