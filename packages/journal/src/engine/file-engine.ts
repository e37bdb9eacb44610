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
import { checkName, type Home, Leases, onRestoreFiles } from '@cadre/home'
import type { ReadOptions } from '../format/read-journal.ts'
import { readSummary, type SessionSummary } from '../format/read-summary.ts'
import { chargedTo } from './charges.ts'
import { type EngineParts, type JournalDiagnostic, readOptions } from './engine-parts.ts'
import { OpenFiles } from './open-files.ts'
import { Recorder } from './recorder.ts'
import { recover } from './recover.ts'
import { OpenSessions, type Outside } from './running-sessions.ts'
import { Trees } from './trees.ts'
import { WriteAhead } from './write-ahead.ts'

export interface FileEngineOptions extends Outside {
  readonly home: Home
  /** Told what a person should know: a torn or changed file, what was restored after a power loss. */
  readonly diagnostics?: (diagnostic: JournalDiagnostic) => void
  /** What an agent brings along into a session that a person has begun in an editor. */
  readonly adopt?: ReadOptions['adopt']
  /**
   * Asked when an entry cannot be written, as on a full disk: true, and it is tried again until it can be, or until the answer is
   * another; whoever records it waits. Absent: it fails.
   */
  readonly endures?: (error: unknown) => boolean
  /** Bytes in a segment before its files are synced and it is dropped. */
  readonly segmentLimit?: number
  /** Descriptors kept open. */
  readonly openFileLimit?: number
  /** Another identity than this process has: for tests of power loss and of other machines. */
  readonly identity?: Partial<ProcessIdentity>
}

export interface FileEngine extends Engine {
  /** From the heads of the files alone. */
  list(): Promise<readonly SessionSummary[]>
  /**
   * Records a person's answer to a question of a session, open or suspended. The first one counts and is given back.
   * Rejects with `owned` when another process runs the session, with `not_found` when it does not wait for that answer.
   */
  answer(session: string, name: string, answer: Answer): Promise<Answer>
  /** Closes half of the files it keeps open between writes: the process can open no more, and others need some. */
  giveWay(): void
  /** Puts everything in order: all is written and safe, and no lease is held. */
  close(): Promise<void>
}

/**
 * The engine on one machine: session files are the record. What a power loss or a killed process left undone is put
 * right before it returns.
 */
export async function createFileEngine(options: FileEngineOptions): Promise<FileEngine> {
  const { home, clock } = options
  const report = options.diagnostics ?? (() => {})
  const self = thisProcess(options.identity)
  const leases = new Leases(home, self)
  const recovery = { home, self, leases, report }
  await recover(recovery)
  const ahead = new WriteAhead(home, self, options.segmentLimit ?? 8 << 20)
  const files = new OpenFiles(options.openFileLimit)
  const parts: EngineParts = {
    home,
    files,
    ahead,
    timestamp: timestamps(() => clock.now()),
    report,
    endures: options.endures ?? (() => false),
    ...(options.adopt && { adopt: options.adopt }),
  }
  const recorder = new Recorder(parts, leases)
  const trees = new Trees(leases, ahead, recovery)
  const sessions = new OpenSessions({ parts, recorder, trees, leases, outside: options })
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
      checkName(id)
      recorder.flush()
      const journal = sessions.read(id)?.journal
      if (journal === undefined) return undefined
      const { spec, status, outcome, updated, entries } = journal
      // A copy: a session that is continued adds to its own.
      return { spec, status, outcome, updated, entries: [...entries] }
    },
    charged: async (root) => chargedTo(home, root),
    list() {
      recorder.flush()
      return listSessions(home, report)
    },
    answer: (session, name, answer) => sessions.answer(session, name, answer),
    giveWay: () => files.giveWay(),
    async close() {
      endKeeping()
      await recorder.close()
      await trees.whenLeft()
      await new Promise<void>((resolve, reject) =>
        ahead.checkpoint(undefined, (error) => (error === null ? resolve() : reject(error))),
      )
      files.closeAll()
      leases.close()
    },
  }
}

/** What the system says about a folder is for a person to act on. */
function unusable(home: Home, error: unknown): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (error instanceof CadreError || code === undefined || syscall === undefined) return error
  const message = `cannot use the home directory ${home.path}: ${sentenceOf(error)} Make it writable, or choose another with --home.`
  return new CadreError('configuration', message, { cause: error })
}

/** Many entries are written in the same millisecond. */
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
/** Files per turn of the event loop. */
const share = 200

/** All sessions of a home, in the order of their names. A file that cannot be read is reported, and left out. */
async function listSessions(
  home: Home,
  report: (diagnostic: JournalDiagnostic) => void,
): Promise<SessionSummary[]> {
  const names = listFolder(home.at('sessions')).filter(
    (name) => name.endsWith(ending) && !name.startsWith('.'),
  )
  const summaries: SessionSummary[] = []
  for (const [index, name] of names.sort().entries()) {
    if (index % share === share - 1) await new Promise((resolve) => setImmediate(resolve))
    const id = name.slice(0, -ending.length)
    const options = readOptions({ home }, id)
    try {
      const summary = readSummary(options)
      if (summary !== undefined) summaries.push(summary)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) continue
      // One odd file must not hide all the others.
      const where = (error instanceof CadreError ? error.where : undefined) ?? options.path
      report({ code: 'journal.unreadable', message: messageOf(error), session: id, where })
    }
  }
  return summaries
}
