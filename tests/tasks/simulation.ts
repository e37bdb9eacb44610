import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Problem } from '@cadre/channels'
import { type Home, openHome } from '@cadre/home'
import { createTaskDuty, type DaemonContext, type Duty } from '@cadre/server'
import type { TaskItem } from '@cadre/tasks'
import { agentsOf, createFakeClock, defineAgent, type FakeClock } from '@cadre/testing'
import { type MemoryFiles, type MemorySessions, memoryFiles, memorySessions } from './memory-tasks.ts'

/** The task duty on files and sessions in memory that outlive it: it can die at any point and be reopened. */
export interface Simulation {
  readonly files: MemoryFiles
  readonly sessions: MemorySessions
  readonly clock: FakeClock
  readonly problems: Map<string, readonly Omit<Problem, 'file'>[]>
  /** The number of durable operations so far. */
  points(): number
  /** Completes all pending work. A process that dies meanwhile is replaced. */
  settle(): Promise<void>
  /** The process dies at the n-th point from here. */
  dieAt(n: number): void
  /** The process dies now. */
  die(): void
  readonly deaths: () => number
  dispose(): void
}

export interface SimulationOptions {
  readonly agents: readonly string[]
  readonly parallel: number
}

export function simulate({ agents, parallel }: SimulationOptions): Simulation {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-tasks-'))
  const home: Home = openHome({ home: folder, cwd: folder, env: {} })
  const clock = createFakeClock()
  const problems = new Map<string, readonly Omit<Problem, 'file'>[]>()
  let count = 0
  let dies = Number.POSITIVE_INFINITY
  let deaths = 0
  let isDead = false
  const point = () => {
    if (isDead || ++count >= dies) {
      isDead = true
      throw new Error('the process is gone')
    }
  }
  const files = memoryFiles(point)
  const sessions = memorySessions(point)
  let duty: Duty | undefined
  const open = async () => {
    isDead = false
    dies = Number.POSITIVE_INFINITY
    deaths += duty === undefined ? 0 : 1
    const context: DaemonContext = {
      home,
      workspace: folder,
      agents: agentsOf(agents.map((name) => defineAgent({ name }))),
      engine: { read: () => Promise.resolve(undefined), list: () => Promise.resolve([]) },
      sessions,
      note: () => {},
      problems: {
        report: (_, file, found) => void problems.set(file, found),
        list: () => [],
      },
      clock,
      parallel: () => parallel,
    }
    duty = createTaskDuty(context, { tasks: files, parallel, missingMs: 1000 })
    await duty.start()
  }
  const bury = async () => {
    // A dead process writes nothing.
    await duty?.stop?.()
    sessions.leave()
    await open()
  }
  const settle = async () => {
    for (let before = -1; before !== count || isDead; ) {
      before = count
      try {
        if (duty === undefined) await open()
        else if (isDead) await bury()
        else await duty.changed([])
        await new Promise(setImmediate)
        await duty?.tick?.(clock.now())
      } catch (error) {
        if (!isDead) throw error
      }
    }
  }
  return {
    files,
    sessions,
    clock,
    problems,
    points: () => count,
    settle,
    dieAt: (n) => {
      dies = count + n
    },
    die: () => {
      isDead = true
    },
    deaths: () => deaths,
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export function allTasks({ files }: MemoryFiles): readonly TaskItem[] {
  return [...files.values()].flat()
}
