import type { Engine, Run } from '@cadre/core'
import { createFakeClock, createMemoryEngine, type FakeClock, type MemoryRecords } from '@cadre/testing'

/** A place where sessions are kept that outlives its engines: open one, let it die, open the next. */
export interface World {
  readonly name: string
  readonly clock: FakeClock
  open(): Promise<Engine>
  /** Ends the engine as the end of its process would; what it recorded stays. */
  close(): Promise<void>
  dispose(): Promise<void>
}

export function memoryWorld(): World {
  const clock = createFakeClock()
  const records: MemoryRecords = { sessions: new Map() }
  return {
    name: 'memory',
    clock,
    open: () => Promise.resolve(createMemoryEngine({ clock, records })),
    close: () => Promise.resolve(),
    dispose: () => Promise.resolve(),
  }
}

/** The worlds every engine test runs in. */
export const worlds: readonly { readonly name: string; readonly create: () => World }[] = [
  { name: 'memory', create: memoryWorld },
]

export interface Death {
  /** Resolves when the engine has died. */
  readonly died: Promise<void>
  /** Points at which it could have died so far. */
  count(): number
}

/**
 * An engine that dies at the `at`-th point: from then on nothing it was asked ever returns and nothing more is recorded,
 * as if the process were gone. Points are: before each step's work, between work and record, and after each record.
 */
export function mortal(engine: Engine, at: number): { engine: Engine; death: Death } {
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
    async step(name, work, options) {
      await point()
      const entries = await run.step(
        name,
        async (info) => {
          const drafts = await work(info)
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
    spawn: (name, spec) => run.spawn(name, spec),
    waitFor: (question, signal) => run.waitFor(question, signal),
    sleep: (ms, signal) => run.sleep(ms, signal),
    emit: (event) => run.emit(event),
    changes: () => run.changes(),
  })
  return {
    engine: {
      attach: (runner) => engine.attach(runner),
      read: (id) => engine.read(id),
      open: async (spec) => wrap(await engine.open(spec)),
    },
    death: { died, count: () => points },
  }
}
