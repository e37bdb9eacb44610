import {
  type Answer,
  answerDrafts,
  answerIn,
  type Clock,
  type Draft,
  type Engine,
  type Entry,
  isAsked,
  type Question,
  questionDraft,
  type Report,
  type ReportStatus,
  type Run,
  type SessionSpec,
  type SessionStatus,
  type StoredSession,
  Suspended,
  stateAfter,
  stopGrace,
} from '@cadre/core'

/** The records of sessions. They outlive the engine: pass them to the next engine to continue. */
export interface MemoryRecords {
  readonly sessions: Map<string, MemorySession>
}

interface MemorySession {
  readonly spec: SessionSpec
  readonly entries: Entry[]
  status: SessionStatus
  outcome: ReportStatus | undefined
  /** When the session last lost a life. */
  lostAt?: number
}

export interface MemoryEngineOptions {
  readonly clock: Clock
  readonly records?: MemoryRecords
  /** Answers a question immediately, as a person in the terminal would. */
  readonly answer?: (session: string, question: Question) => Answer | undefined
}

export interface MemoryEngine extends Engine {
  readonly records: MemoryRecords
  /** Records an answer, unless there is one already. It is a vote if the question needs several approvals. */
  answer(session: string, name: string, answer: Answer): void
  /** Takes over a tree from this engine, as another process would. */
  lose(root: string): void
}

/** An in-memory engine. Like every engine, it continues from the record. */
export function createMemoryEngine(options: MemoryEngineOptions): MemoryEngine {
  const { clock } = options
  const records: MemoryRecords = options.records ?? { sessions: new Map() }
  const { sessions } = records
  const lives = new Map<string, AbortController>()
  let runner: (spec: SessionSpec) => Promise<Report> = () =>
    Promise.reject(new Error('no runner is attached'))
  const keep = ({ entries }: MemorySession, drafts: readonly Draft[]): readonly Entry[] => {
    const timestamp = new Date(clock.now()).toISOString()
    const kept = drafts.map(
      (draft, index) => ({ ...draft, seq: entries.length + index + 1, timestamp }) as Entry,
    )
    entries.push(...kept)
    return kept
  }
  const createRun = (session: MemorySession): Run => {
    const { spec, entries, lostAt } = session
    const life = lives.get(spec.root) ?? new AbortController()
    lives.set(spec.root, life)
    return {
      recorded: [...entries],
      lost: life.signal,
      alone: until((lostAt ?? Number.NEGATIVE_INFINITY) + stopGrace, clock).then(() =>
        lostAt === undefined ? 'here' : 'elsewhere',
      ),
      async step(_name, work) {
        const drafts = await work()
        life.signal.throwIfAborted()
        session.status = 'active'
        session.outcome = undefined
        return keep(session, drafts)
      },
      spawn: (child) => runner(child),
      async waitFor(question) {
        life.signal.throwIfAborted()
        const { name } = question
        const known = answerIn(entries, name)
        if (known !== undefined) return known
        if (!isAsked(entries, name)) keep(session, [questionDraft(question)])
        const answer = options.answer?.(spec.id, question)
        if (answer !== undefined) keep(session, answerDrafts(entries, name, answer))
        const applies = answerIn(entries, name)
        if (applies === undefined) throw new Suspended([{ session: spec.id, name }])
        return applies
      },
      changes: () => undefined,
      async end(end) {
        Object.assign(session, stateAfter(end))
      },
    }
  }
  return {
    records,
    attach(run) {
      runner = run
    },
    async open(spec) {
      let session = sessions.get(spec.id)
      if (session === undefined) {
        session = { spec, entries: [], status: 'active', outcome: undefined }
        sessions.set(spec.id, session)
      }
      return createRun(session)
    },
    async read(id) {
      const session = sessions.get(id)
      return session && stored(session)
    },
    charged: async (root) =>
      [...sessions.values()]
        .filter(({ spec }) => spec.parent === undefined && spec.limits.charged?.root === root)
        .map(({ spec }) => spec.id),
    answer(id, name, answer) {
      const session = sessions.get(id)
      if (session !== undefined) keep(session, answerDrafts(session.entries, name, answer))
    },
    lose(root) {
      for (const session of sessions.values()) if (session.spec.root === root) session.lostAt = clock.now()
      lives.get(root)?.abort(new Error(`${root} was taken over`))
      lives.delete(root)
    },
  }
}

function until(time: number, clock: Clock): Promise<void> {
  const left = time - clock.now()
  return left > 0 ? new Promise((resolve) => void clock.after(left, resolve)) : Promise.resolve()
}

function stored({ spec, status, outcome, entries }: MemorySession): StoredSession {
  return {
    spec,
    status,
    outcome,
    entries: [...entries],
    updated: entries.at(-1)?.timestamp ?? spec.created,
  }
}
