import { join } from 'node:path'
import { createRestateKeeper, type RestateKeeper, registerWorker } from '@cadre/restate'
import { freePort } from '@cadre/testing'
import { startRestateServer } from '../support/restate-server.ts'
import { startBalancer } from './balancer.ts'
import { ControlTrees } from './control-trees.ts'
import { type Disturbing, disturb } from './disturb.ts'
import { KillDriver, linesOf, retry } from './kill-driver.ts'
import type { Plan } from './kill-team.ts'
import { WorkerProcess } from './worker-process.ts'

export interface KillSuiteOptions {
  readonly folder: string
  readonly seed: number
  readonly trees: number
  readonly calls: number
  readonly kills: number
  readonly serverKills: number
  readonly stops: number
  readonly serverStops: number
}

export interface KillSuiteResult {
  readonly ended: number
  readonly completed: number
  readonly sessions: number
  readonly effects: number
  /** Effects that happened more than once. */
  readonly twice: readonly string[]
  /** Effects of the plan that never happened. */
  readonly missing: readonly string[]
  readonly doubts: number
  readonly approvals: number
  /** Trees that stopped without an open question until a person resumed them. */
  readonly lostWakeups: readonly string[]
  /** How many trees received a message and edits after some of their effects and before the last one. */
  readonly toldInMiddle: number
  readonly editedWhileRunning: number
  readonly editedWhileWaiting: number
  /** Messages and edits that a tree does not have exactly once. */
  readonly wronglyTold: readonly string[]
  readonly disturbances: readonly string[]
  readonly control: { readonly ended: number; readonly effects: number; readonly twice: number }
}

/** The lead, three workers, one of which is a chief with two workers: six sessions, five of them below the lead. */
export const sessionsPerTree = 6
const workers = 3
/** Less than the time after which the server gives the trees of a silent worker to another one. */
const fresh = 2_000

/** Runs many trees on three worker processes and a server, all of which are killed and stopped at random. */
export async function runKillSuite(options: KillSuiteOptions): Promise<KillSuiteResult> {
  const { folder, seed, trees, calls } = options
  const place = `kill-${seed}`
  const effects = join(folder, 'effects.txt')
  let server = await startRestateServer({
    folder: join(folder, 'server'),
    // Few streams per connection, so that the balancer spreads them. A stopped worker is noticed after at most six seconds. With less,
    // workers on a busy machine would lose their trees all the time, and no tree would ever end.
    extra:
      '[worker.invoker]\nhttp2-streams-per-connection-limit = 4\nhttp2-keep-alive-interval = "3s"\nhttp2-keep-alive-timeout = "3s"\n',
  })
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const controlPorts = await Promise.all([freePort(), freePort(), freePort()])
  const { ingress, admin } = server
  const config = { ingress, place, effects, latency: 60, fresh }
  const processes = ports.map(
    (port, n) => new WorkerProcess({ ...config, port, controlPort: controlPorts[n] as number }),
  )
  await Promise.all(processes.map(({ ready }) => ready))
  const port = await freePort()
  const controlPort = await freePort()
  const balancers = [await startBalancer(port, ports), await startBalancer(controlPort, controlPorts)]
  await registerWorker({ admin, url: `http://127.0.0.1:${port}`, place })
  const control = new ControlTrees(ingress, `control-${place}`)
  await control.register(admin, `http://127.0.0.1:${controlPort}`)
  const keeper = createRestateKeeper({ ingress, place })
  const ids = Array.from({ length: trees }, (_, n) => `t${seed}-${n}`)
  let disturbing: Disturbing | undefined
  try {
    await Promise.all(ids.map((id) => retry(() => startTree(keeper, id, calls))))
    // Its workers wait for nobody, so they get more to do: otherwise they end before the first kill.
    await control.start(ids, { workers: 2, calls: 3 * calls })
    disturbing = disturb({
      ...options,
      processes,
      server: () => server,
      replaced: (next) => (server = next),
    })
    const planned = effectsOf(ids, calls)
    const driver = new KillDriver(ids, { keeper, effects, effectsPerTree: planned.length / trees })
    await Promise.all([driver.drive(), control.untilEnded(ids)])
    const disturbances = await disturbing.stop()
    const lines = linesOf(effects)
    const done = new Set(lines.map((line) => line.split(' ')[1]))
    return {
      ...driver.result(),
      effects: lines.length,
      twice: twiceIn(lines),
      missing: planned.filter((what) => !done.has(what)),
      wronglyTold: await driver.wronglyTold(),
      disturbances,
      control: { ended: ids.length, ...countEffects(linesOf(`${effects}.control`)) },
    }
  } finally {
    // After a failure, it would start killed processes again.
    await disturbing?.stop()
    for (const process of processes) await process.kill()
    for (const balancer of balancers) balancer.close()
    await server.kill()
  }
}

async function startTree(keeper: RestateKeeper, id: string, calls: number): Promise<void> {
  const plan: Plan = { tree: id, workers, calls }
  await keeper.start({ id, agent: 'lead', work: JSON.stringify(plan), workspace: '/tmp', plain: false })
}

/** Without the key, which differs if a session was started twice. */
function effectOf(line: string): string {
  return line.split(' ').slice(0, 2).join(' ')
}

function twiceIn(lines: readonly string[]): string[] {
  const seen = new Set<string>()
  return lines.map(effectOf).filter((effect) => seen.size === seen.add(effect).size)
}

function countEffects(lines: readonly string[]): { effects: number; twice: number } {
  return { effects: lines.length, twice: twiceIn(lines).length }
}

/** What the workers of the trees do, in the order in which the lead and the chief start them. */
function effectsOf(ids: readonly string[], calls: number): string[] {
  const names = ['0.0', '0.1', '1', '2']
  return ids.flatMap((id) =>
    names.flatMap((name) =>
      Array.from({ length: calls }, (_, n) => n + 1).flatMap((round) => {
        const isRead = (round - 1) % 3 === 0 && !(round === calls && name === '1')
        return isRead ? [] : [`${id}/${name}/${round}`]
      }),
    ),
  )
}
