import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer, Engine, QuestionId, Run } from '@cadre/core'
import { openHome } from '@cadre/home'
import { createFileEngine, type FileEngine } from '@cadre/journal'
import {
  createFakeClock,
  createMemoryEngine,
  type FakeClock,
  type MemoryEngine,
  type MemoryRecords,
} from '@cadre/testing'
import { onTestFinished, vi } from 'vitest'
import { restateWorld } from '../scale/support/restate-world.ts'

/** Session storage that outlives its engines: open one, let it die, open the next. */
export interface World {
  readonly name: string
  readonly clock: FakeClock
  open(): Promise<Engine>
  /** Records a person's decision. */
  answer(question: QuestionId, answer: Answer): Promise<void>
  /** Another process takes over the tree, and ends immediately. Requires `freezeClock` before the engine is opened. */
  lose(root: string): void | Promise<void>
  /** Ends the engine like the end of its process; its records stay. */
  close(): Promise<void>
  dispose(): Promise<void>
}

export function memoryWorld(): World {
  const clock = createFakeClock()
  const records: MemoryRecords = { sessions: new Map() }
  let engine: MemoryEngine | undefined
  return {
    name: 'memory',
    clock,
    async open() {
      engine = createMemoryEngine({ clock, records })
      return engine
    },
    lose: (root) => engine?.lose(root),
    answer: async ({ session, name }, answer) =>
      createMemoryEngine({ clock, records }).answer(session, name, answer),
    close: () => Promise.resolve(),
    dispose: () => Promise.resolve(),
  }
}

/** Session files in a real folder. */
export function fileWorld(): World & { readonly folder: string } {
  const clock = createFakeClock()
  const folder = mkdtempSync(join(tmpdir(), 'cadre-world-'))
  const home = openHome({ home: folder, cwd: folder, env: {} })
  let engine: FileEngine | undefined
  const close = async () => {
    await engine?.close()
    engine = undefined
  }
  return {
    name: 'files',
    folder,
    clock,
    async open() {
      engine ??= await createFileEngine({ home, clock })
      return engine
    },
    async answer({ session, name }, answer) {
      await engine?.answer(session, name, answer)
    },
    lose(root) {
      const other = { token: 'other', pid: 1, host: 'elsewhere', boot: 'other' }
      const lease = home.at('storage', 'leases', `${root}.lease`)
      rmSync(lease)
      writeFileSync(lease, JSON.stringify(other))
      // This process was suspended for longer than the lease, and so was the other one.
      vi.setSystemTime(Date.now() + 60_000)
      vi.advanceTimersByTime(10_001)
    },
    close,
    async dispose() {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** From now on the system clock, which determines dead processes, stands still unless a world moves it. */
export function freezeClock(): void {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

/** The worlds in which every engine test runs: `npm run test:scale` runs them on Restate. */
export const worlds: readonly { readonly name: string; readonly create: () => World }[] =
  process.env['CADRE_TEST_RESTATE'] === undefined
    ? [
        { name: 'memory', create: memoryWorld },
        { name: 'files', create: fileWorld },
      ]
    : [{ name: 'restate', create: restateWorld }]

export interface Death {
  /** Resolves when the engine has died. */
  readonly died: Promise<void>
  /** The number of possible crash points so far. */
  count(): number
}

/**
 * An engine that dies at the `at`-th point: from then on its calls never return and nothing more is recorded, as if the
 * process were gone. Points are: before each step's work, between work and record, and after each record.
 */
export function crashAt(engine: Engine, at: number): { engine: Engine; death: Death } {
  let points = 0
  let die: () => void = () => {}
  const died = new Promise<void>((resolve) => {
    die = resolve
  })
  const never = new Promise<never>(() => {})
  const point = async (): Promise<void> => {
    points += 1
    if (points === at) die()
    if (points >= at) await never
  }
  const wrap = (run: Run): Run => ({
    ...run,
    recorded: run.recorded,
    lost: run.lost,
    get alone() {
      return run.alone
    },
    async step(name, work, options) {
      await point()
      const entries = await run.step(
        name,
        async () => {
          const drafts = await work()
          await point()
          return drafts
        },
        options,
      )
      await point()
      return entries
    },
    async end(end) {
      await point()
      await run.end(end)
      await point()
    },
    spawn: (spec) => run.spawn(spec),
    waitFor: (question, signal) => run.waitFor(question, signal),
    changes: () => run.changes(),
  })
  return {
    engine: {
      attach: (runner) => engine.attach(runner),
      read: (id) => engine.read(id),
      charged: async (root) => (await engine.charged?.(root)) ?? [],
      open: async (spec) => wrap(await engine.open(spec)),
    },
    death: { died, count: () => points },
  }
}
