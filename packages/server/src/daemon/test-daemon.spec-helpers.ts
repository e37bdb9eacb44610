import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createAgents } from '@cadre/agents'
import type { DaemonEvent } from '@cadre/channels'
import { createOrchestrator, type Entry, type Models, type Ports, type Run, type Tool } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { type Home, sessionIds } from '@cadre/home'
import { createFileEngine, type FileEngine } from '@cadre/journal'
import { onTestFinished } from 'vitest'
import type { DaemonContext } from '../daemon-context.ts'
import { createSessionKeeper, type Keeper } from '../sessions/create-session-keeper.ts'
import { createProblems } from './create-problems.ts'

export interface TestDaemonOptions {
  readonly home: Home
  readonly models: Models
  readonly workspace?: string
  readonly tools?: readonly Tool[]
  readonly onLifecycleEvent?: Ports['onLifecycleEvent']
  /** Called before a session receives a message or starts. May throw, to simulate a full disk. */
  readonly before?: (session: string) => void
}

/**
 * A daemon without its duties: the real engine, keeper, agents and problems on the files in a home. The test creates its
 * duties with `context`, and calls them itself.
 */
export interface TestDaemon {
  readonly context: DaemonContext
  readonly engine: FileEngine
  readonly keeper: Keeper
  readonly notes: DaemonEvent[]
  /** Wraps a function so that it no longer runs after a kill, and its promises never settle. */
  readonly mortal: <A extends readonly unknown[], R>(
    work: (...given: A) => Promise<R>,
  ) => (...given: A) => Promise<R>
  /** Resolves when nothing runs and nothing is queued. */
  rest(): Promise<void>
  /** Simulates a crash: nothing more runs, and pending promises never settle. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export async function openTestDaemon(options: TestDaemonOptions): Promise<TestDaemon> {
  const { home, models, workspace = home.path, before = () => {} } = options
  let isDead = false
  const never = new Promise<never>(() => {})
  const mortal: TestDaemon['mortal'] =
    (work) =>
    async (...given) => {
      if (isDead) await never
      const result = await work(...given)
      if (isDead) await never
      return result
    }
  const inner = await createFileEngine({ home, clock: systemClock })
  const engine: FileEngine = {
    ...inner,
    read: mortal(inner.read),
    open: mortal(async (spec) => mortalRun(await inner.open(spec))),
  }
  const mortalRun = (run: Run): Run => ({
    recorded: run.recorded,
    lost: run.lost,
    get alone() {
      return run.alone
    },
    step: mortal((name, work, given) => run.step(name, work, given)),
    end: mortal((end) => run.end(end)),
    spawn: (child) => run.spawn(child),
    waitFor: (question, signal) => run.waitFor(question, signal),
    changes: () => run.changes(),
  })
  const registry = createAgents({ home: home.path })
  const orchestrator = createOrchestrator({
    engine,
    models,
    agents: registry,
    tools: options.tools ?? [],
    clock: systemClock,
    ids: sessionIds,
    emit: (event) => keeper.observe(event),
    ...(options.onLifecycleEvent && { onLifecycleEvent: options.onLifecycleEvent }),
  })
  const parts = {
    agents: registry,
    registry,
    models,
    settings: {},
    channels: {},
    notices: [],
    begin: () => orchestrator,
  }
  const notes: DaemonEvent[] = []
  // Problems are not notes: `problems` has them.
  const note = (happening: DaemonEvent) =>
    void (happening.type.startsWith('problem.') || notes.push(happening))
  const problems = createProblems(note)
  const keeper = createSessionKeeper({
    home,
    engine,
    workspace,
    trusted: true,
    parallel: () => 100,
    parts: () => ({ parts, orchestrator }),
    note,
    problems,
    rested: () => {},
  })
  const context: DaemonContext = {
    home,
    workspace,
    agents: registry,
    engine,
    sessions: {
      ...keeper,
      start: mortal(async (request) => {
        before(request.id)
        return keeper.start(request)
      }),
      tell: mortal(async (session, work, begin) => {
        before(session)
        return keeper.tell(session, work, begin)
      }),
      cancel: mortal(keeper.cancel),
    },
    note,
    problems,
    clock: systemClock,
    parallel: () => 100,
  }
  keeper.restore()
  let ending: Promise<void> | undefined
  const life: TestDaemon = {
    context,
    engine,
    keeper,
    notes,
    mortal,
    async rest() {
      const isBusy = () => Object.values(keeper.counts()).some((sessions) => sessions.length > 0)
      while (isBusy()) await new Promise((resolve) => setTimeout(resolve, 1))
    },
    kill() {
      isDead = true
      const turn = () => new Promise((resolve) => setImmediate(resolve))
      ending ??= turn()
        .then(turn)
        .then(() => inner.close())
      return ending
    },
    stop() {
      ending ??= keeper.hold(true).then(() => inner.close())
      return ending
    },
  }
  onTestFinished(life.kill)
  return life
}

export type ReceivedMessage = Extract<Entry, { readonly role: 'user' }>

/** The messages of each session, by id, in the order of its record. */
export async function messagesBySession(
  engine: FileEngine,
): Promise<ReadonlyMap<string, readonly ReceivedMessage[]>> {
  const heard = new Map<string, readonly ReceivedMessage[]>()
  for (const { id } of await engine.list()) {
    const entries = (await engine.read(id))?.entries ?? []
    heard.set(
      id,
      entries.filter((entry): entry is ReceivedMessage => entry.role === 'user'),
    )
  }
  return heard
}

export function writeFileIn(home: Home, file: string, text: string): void {
  mkdirSync(path.dirname(home.at(file)), { recursive: true })
  writeFileSync(home.at(file), text)
}

/** Reads the JSON objects of a JSONL file. */
export function linesIn(home: Home, file: string): Record<string, unknown>[] {
  const lines = readFileSync(home.at(file), 'utf8').split('\n')
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))
}
