import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOrchestrator, type Models, type Run } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { openHome, sessionIds } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import {
  createProblems,
  createSessionKeeper,
  createTaskDuty,
  type DaemonContext,
  type SessionKeeper,
  type TaskStore,
} from '@cadre/server'
import { openTaskFiles } from '@cadre/tasks'
import { agentsOf, defineAgent } from '@cadre/testing'

/** A process that looks after the tasks of a home, with the real files and the real engine, and can be gone at any moment. */
export interface Life {
  /** From now on nothing it was about to do happens, and nothing it waited for comes back. */
  kill(): Promise<void>
  /** Puts everything in order. */
  stop(): Promise<void>
}

export interface LifeOptions {
  readonly folder: string
  readonly agents: readonly string[]
  readonly models: Models
  readonly parallel: number
}

export async function live({ folder, agents: names, models, parallel }: LifeOptions): Promise<Life> {
  const home = openHome({ home: folder, cwd: folder, env: {} })
  let isDead = false
  const never = new Promise<never>(() => {})
  /** What a dead process waits for never comes back; what it asks for is not done. */
  const mortal = <A extends readonly unknown[], R>(work: (...given: A) => Promise<R>) => {
    return async (...given: A): Promise<R> => {
      if (isDead) await never
      const result = await work(...given)
      if (isDead) await never
      return result
    }
  }
  const inner = await createFileEngine({ home, clock: systemClock })
  const engine: typeof inner = {
    ...inner,
    read: mortal(inner.read),
    open: mortal(async (spec) => {
      const run = await inner.open(spec)
      return {
        recorded: run.recorded,
        lost: run.lost,
        get alone() {
          return run.alone
        },
        step: mortal((name, work, options) => run.step(name, work, options)),
        end: mortal((end) => run.end(end)),
        spawn: (child) => run.spawn(child),
        waitFor: (question, signal) => run.waitFor(question, signal),
        changes: () => run.changes(),
      } satisfies Run
    }),
  }
  const agents = agentsOf(names.map((name) => defineAgent({ name })))
  const orchestrator = createOrchestrator({
    engine,
    models,
    agents,
    tools: [],
    clock: systemClock,
    ids: sessionIds,
    emit: (event) => keeper.observe(event),
  })
  const note: DaemonContext['note'] = () => {}
  const problems = createProblems(note, () => {})
  const keeper = createSessionKeeper({
    home,
    engine,
    workspace: folder,
    trusted: true,
    parallel: () => 100,
    // Of all parts it asks only for these.
    parts: () => ({ parts: { agents, models } as never, orchestrator }),
    note,
    problems,
    rested: () => {},
  })
  const files = openTaskFiles({ folder: home.folder('tasks') })
  const tasks: TaskStore = {
    list: files.list,
    read: files.read,
    change: mortal(files.change),
    ensureIds: mortal(files.ensureIds),
  }
  const context: DaemonContext = {
    home,
    workspace: folder,
    agents,
    engine,
    sessions: sent({
      ...keeper,
      start: mortal(keeper.start),
      tell: mortal(keeper.tell),
      cancel: mortal(keeper.cancel),
    }),
    note,
    problems,
    clock: systemClock,
    parallel: () => parallel,
  }
  keeper.restore()
  const duty = createTaskDuty(context, { tasks, parallel })
  await duty.start()
  return {
    async kill() {
      isDead = true
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      await inner.close()
    },
    async stop() {
      await duty.stop?.()
      await keeper.hold(true)
      await inner.close()
    },
  }
}

/** The same keeper behind a wire: every order and every answer is JSON on its way. */
function sent(keeper: SessionKeeper): SessionKeeper {
  const copy = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T))
  const send =
    <A extends readonly unknown[], R>(order: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> =>
      copy(await order(...(given.map(copy) as unknown as A)))
  return {
    start: send(keeper.start),
    tell: send(keeper.tell),
    delivery: send(keeper.delivery),
    resume: send(keeper.resume),
    cancel: send(keeper.cancel),
    state: send(keeper.state),
    onRest: (listener) => keeper.onRest((session, result) => listener(session, copy(result))),
  }
}

export function temporaryFolder(): { readonly folder: string; dispose(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-tasks-'))
  return {
    folder,
    dispose: () => {
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until it is so. Nothing depends on how long that takes. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}
