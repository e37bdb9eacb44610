import {
  type Answer,
  type Clock,
  type Draft,
  type Engine,
  type Entry,
  type Question,
  type Report,
  type ReportStatus,
  type Run,
  type SessionSpec,
  type SessionStatus,
  type StoredSession,
  Suspended,
} from '@cadre/core'

/** What a session has recorded, by the name of the step. Survives the engine: give it to the next one to replay. */
export interface MemoryRecords {
  readonly sessions: Map<string, MemorySession>
}

interface MemorySession {
  readonly spec: SessionSpec
  readonly steps: Map<string, readonly Entry[]>
  readonly children: Map<string, Report>
  readonly answers: Map<string, Answer>
  readonly entries: Entry[]
  /** Entries that the last life continued from instead of replaying them. */
  continuedFrom: number
  status: SessionStatus
  outcome: ReportStatus | undefined
}

export interface MemoryEngineOptions {
  readonly clock: Clock
  readonly records?: MemoryRecords
  /** Answers a question at once, as a person at the keyboard would. */
  readonly answer?: (session: string, question: Question) => Answer | undefined
  /** Called before and after every record is kept; throwing here is a crash at that point. */
  readonly crash?: (point: {
    readonly session: string
    readonly step: string
    readonly when: 'before' | 'after'
  }) => void
}

export interface MemoryEngine extends Engine {
  readonly records: MemoryRecords
  answer(session: string, name: string, answer: Answer): void
}

/**
 * An engine in memory that replays: a resumed session starts from nothing, and each step of its past is answered from the
 * records instead of being done again. It is the shape a durable engine on many machines has.
 */
export function createMemoryEngine(options: MemoryEngineOptions): MemoryEngine {
  const records: MemoryRecords = options.records ?? { sessions: new Map() }
  let runner: (spec: SessionSpec) => Promise<Report> = () =>
    Promise.reject(new Error('no runner is attached'))
  return {
    records,
    attach(run) {
      runner = run
    },
    open(spec) {
      let session = records.sessions.get(spec.id)
      if (session === undefined) {
        session = {
          spec,
          steps: new Map(),
          children: new Map(),
          answers: new Map(),
          entries: [],
          continuedFrom: 0,
          status: 'active',
          outcome: undefined,
        }
        records.sessions.set(spec.id, session)
      }
      return Promise.resolve(createRun(session, options, (child) => runner(child)))
    },
    read(id) {
      const session = records.sessions.get(id)
      return Promise.resolve(session && stored(session))
    },
    charged: (root) =>
      Promise.resolve(
        [...records.sessions.values()]
          .filter(({ spec }) => spec.parent === undefined && spec.limits.charged?.root === root)
          .map(({ spec }) => spec.id),
      ),
    answer(id, name, answer) {
      const session = records.sessions.get(id)
      if (session !== undefined && !session.answers.has(name)) session.answers.set(name, answer)
    },
  }
}

function createRun(
  session: MemorySession,
  options: MemoryEngineOptions,
  spawn: (spec: SessionSpec) => Promise<Report>,
): Run {
  const { clock } = options
  const keep = (step: string, drafts: readonly Draft[]): readonly Entry[] => {
    options.crash?.({ session: session.spec.id, step, when: 'before' })
    const timestamp = new Date(clock.now()).toISOString()
    const entries = drafts.map(
      (draft, index) => ({ ...draft, seq: session.entries.length + index + 1, timestamp }) as Entry,
    )
    if (entries.length > 0) {
      session.entries.push(...entries)
      session.steps.set(step, entries)
    }
    options.crash?.({ session: session.spec.id, step, when: 'after' })
    return entries
  }
  // A session at rest continues from its journal; an interrupted one replays what came after its last rest.
  if (session.status !== 'active') {
    session.continuedFrom = session.entries.length
    session.steps.clear()
  }
  const recorded = session.entries.slice(0, session.continuedFrom)
  session.status = 'active'
  return {
    recorded,
    async step(name, work) {
      const known = session.steps.get(name)
      if (known !== undefined) return known
      return keep(name, await work({ key: `${session.spec.id}/${name}` }))
    },
    async spawn(name, spec) {
      const known = session.children.get(name)
      if (known !== undefined) return known
      const report = await spawn(spec)
      if (report.status !== 'cancelled') session.children.set(name, report)
      return report
    },
    waitFor(question) {
      const known = session.answers.get(question.name) ?? options.answer?.(session.spec.id, question)
      if (known === undefined) return Promise.reject(new Suspended([question.name]))
      session.answers.set(question.name, known)
      return Promise.resolve(known)
    },
    sleep: (ms, signal) => pause(clock, ms, signal),
    emit() {},
    changes: () => undefined,
    end(end) {
      session.status =
        end.kind === 'suspended'
          ? 'sleeping'
          : end.outcome === 'completed' || end.outcome === 'incomplete'
            ? 'completed'
            : 'error'
      session.outcome = end.kind === 'ended' ? end.outcome : undefined
      return Promise.resolve()
    },
  }
}

function stored(session: MemorySession): StoredSession {
  const { spec, status, outcome, entries } = session
  return { spec, status, outcome, entries, updated: entries.at(-1)?.timestamp ?? spec.created }
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      disarm()
      reject(new Error('aborted'))
    }
    const disarm = clock.after(ms, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    signal.addEventListener('abort', stop, { once: true })
  })
}
