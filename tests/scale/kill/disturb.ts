import type { RestateServer } from '../support/restate-server.ts'
import type { WorkerProcess } from './worker-process.ts'

export interface DisturbOptions {
  readonly seed: number
  readonly kills: number
  readonly serverKills: number
  readonly stops: number
  readonly serverStops: number
  readonly processes: readonly WorkerProcess[]
  readonly server: () => RestateServer
  readonly replaced: (server: RestateServer) => void
}

export interface Disturbing {
  /** Ends the disturbances, and returns what was done. */
  stop(): Promise<readonly string[]>
}

/** Longer than the server waits before it gives the trees of a silent worker to another one. */
const stopTime = 7_000

/** Kills and stops processes in an order that depends on the seed. Every killed process is started again. */
export function disturb(options: DisturbOptions): Disturbing {
  const { seed, kills, serverKills, stops, serverStops, processes } = options
  const random = randomFrom(seed)
  const done: string[] = []
  let isOver = false
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const any = () => Math.floor(random() * processes.length)
  const actions = [
    ...Array<() => Promise<void>>(kills).fill(async () => {
      const n = any()
      const victim = processes[n] as WorkerProcess
      done.push(`kill ${n}`)
      await victim.kill()
      await wait(random() * 400)
      victim.restart()
    }),
    ...Array<() => Promise<void>>(serverKills).fill(async () => {
      done.push('kill server')
      await options.server().kill()
      await wait(random() * 300)
      options.replaced(await options.server().restart())
    }),
    ...Array<() => Promise<void>>(stops).fill(async () => {
      const n = any()
      done.push(`stop ${n}`)
      processes[n]?.stop()
      await wait(stopTime)
      processes[n]?.continue()
    }),
    ...Array<() => Promise<void>>(serverStops).fill(async () => {
      done.push('stop server')
      options.server().stop()
      await wait(stopTime)
      options.server().continue()
    }),
  ]
  const running = (async () => {
    for (const action of shuffled(actions, random)) {
      await wait(200 + random() * 500)
      if (isOver) return
      await action()
    }
  })()
  return {
    async stop() {
      isOver = true
      await running
      return done
    },
  }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Numbers from 0 to 1, the same for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
