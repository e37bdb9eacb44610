import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry, QuestionId } from '@cadre/core'
import { createRestateKeeper, type RestateKeeper, registerWorker } from '@cadre/restate'
import { freePort, startRestateServer } from '../support/restate-server.ts'
import { startBalancer } from './balancer.ts'
import { ControlTrees } from './control-trees.ts'
import { disturb } from './disturb.ts'
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
  /** Trees whose lead does not have each message and each edit exactly once. */
  readonly wronglyTold: readonly string[]
  readonly disturbances: readonly string[]
  readonly control: { readonly ended: number; readonly effects: number; readonly twice: number }
}

/** The lead, three workers, one of which is a chief with two workers: six sessions, five of them below the lead. */
export const sessionsPerTree = 6
const workers = 3
const fresh = 500

/** Runs many trees on three worker processes and a server, all of which are killed and stopped at random. */
export async function runKillSuite(options: KillSuiteOptions): Promise<KillSuiteResult> {
  const { folder, seed, trees, calls } = options
  const place = `kill-${seed}`
  const effects = join(folder, 'effects.txt')
  let server = await startRestateServer({
    folder: join(folder, 'server'),
    // Few streams per connection, so that the balancer spreads them. A stopped worker is noticed after two seconds.
    extra:
      '[worker.invoker]\nhttp2-streams-per-connection-limit = 4\nhttp2-keep-alive-interval = "1s"\nhttp2-keep-alive-timeout = "1s"\n',
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
  try {
    await Promise.all(ids.map((id) => retry(() => startTree(keeper, id, calls))))
    // Its workers wait for nobody, so they get more to do: otherwise they end before the first kill.
    await control.start(ids, { workers: 4, calls: 3 * calls })
    const disturbing = disturb({
      ...options,
      processes,
      server: () => server,
      replaced: (next) => (server = next),
    })
    const driver = new Driver(keeper, effects)
    await Promise.all([driver.drive(ids), control.untilEnded(ids)])
    const disturbances = await disturbing.stop()
    return {
      ...driver.result(ids),
      missing: missingEffects(ids, calls, linesOf(effects)),
      wronglyTold: await driver.wronglyTold(ids),
      disturbances,
      control: { ended: ids.length, ...countEffects(linesOf(`${effects}.control`)) },
    }
  } finally {
    for (const process of processes) await process.kill()
    for (const balancer of balancers) balancer.close()
    await server.kill()
  }
}

async function startTree(keeper: RestateKeeper, id: string, calls: number): Promise<void> {
  const plan: Plan = { tree: id, workers, calls }
  await keeper.start({ id, agent: 'lead', work: JSON.stringify(plan), workspace: '/tmp', plain: false })
}

/** Plays the people: answers questions from what has really happened, and sends messages and edits in the middle. */
class Driver {
  readonly #keeper: RestateKeeper
  readonly #effects: string
  readonly #ended = new Map<string, { status: string; sessions: number }>()
  readonly #answered = new Set<string>()
  #doubts = 0
  #approvals = 0

  constructor(keeper: RestateKeeper, effects: string) {
    this.#keeper = keeper
    this.#effects = effects
  }

  async drive(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const message = { content: `message for ${id}`, message: `m-${id}` }
      const told = await retry(() => this.#keeper.tell(id, message))
      if (told !== 'queued') throw new Error(`${id} was started, but a message to it was not accepted`)
    }
    while (this.#ended.size < ids.length) {
      for (const id of ids) if (!this.#ended.has(id)) await retry(() => this.#look(id))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  result(ids: readonly string[]) {
    const ends = ids.flatMap((id) => this.#ended.get(id) ?? [])
    const { effects, twice } = countEffects(linesOf(this.#effects))
    return {
      ended: ends.length,
      completed: ends.filter(({ status }) => status === 'completed').length,
      sessions: ends.reduce((sum, { sessions }) => sum + sessions, 0),
      effects,
      twice: twiceIn(linesOf(this.#effects)).slice(0, twice),
      doubts: this.#doubts,
      approvals: this.#approvals,
    }
  }

  async wronglyTold(ids: readonly string[]): Promise<string[]> {
    const wrong = await Promise.all(
      ids.map(async (id) => {
        const entries = (await retry(() => this.#keeper.read(id)))?.entries ?? []
        const count = (text: string) => entries.filter(({ content }) => content === text).length
        const isRight = count(`message for ${id}`) === 1 && count(`edit for ${id}`) <= 1
        return isRight ? [] : [id]
      }),
    )
    return wrong.flat()
  }

  async #look(id: string): Promise<void> {
    const state = await this.#keeper.state(id)
    if (state.kind !== 'rested') return
    const { result } = state
    // A message that arrives at the end wakes the tree.
    if (result.kind === 'report' && !(await this.#hasMessage(id))) return
    if (result.kind === 'report')
      this.#ended.set(id, { status: result.report.status, sessions: result.report.sessions })
    else if (result.kind === 'failed') this.#ended.set(id, { status: result.message, sessions: 0 })
    else if (result.kind === 'waiting') {
      if (!this.#answered.has(id)) await this.#edit(id)
      for (const question of result.questions) await this.#answer(question)
      // Something else may have woken it in between.
      if (result.questions.length === 0) await this.#keeper.resume(id)
    }
  }

  async #hasMessage(id: string): Promise<boolean> {
    const stored = await this.#keeper.read(id)
    return stored?.entries.some(({ content }) => content === `message for ${id}`) ?? false
  }

  /** Adds a message to the record of the lead by hand, once, while the tree waits. */
  async #edit(id: string): Promise<void> {
    this.#answered.add(id)
    const stored = await this.#keeper.read(id)
    const last = stored?.entries.at(-1)
    if (stored === undefined || last === undefined) return
    const content = `edit for ${id}`
    const entry = { role: 'user', content, seq: last.seq + 1, timestamp: last.timestamp } as Entry
    const entries = [...stored.entries, entry]
    await this.#keeper.edit(id, { entries, base: last.seq, summary: 'A message was added.' })
  }

  async #answer({ session, name }: QuestionId): Promise<void> {
    const key = `${session} ${name}`
    if (this.#answered.has(key)) return
    if (name.startsWith('doubt/')) {
      // The call is part of the question's name; later attempts add a number.
      const stored = await this.#keeper.read(session)
      const asked = stored?.entries.find(
        (entry) => entry.role === 'event' && entry.type === 'person.asked' && entry['name'] === name,
      )
      if (asked?.role !== 'event') return
      const hasHappened = linesOf(this.#effects).some((line) => line.endsWith(` ${session}/${asked.call}`))
      await this.#keeper.answer({ session, name }, { decision: hasHappened ? 'done' : 'again', by: 'test' })
      this.#doubts += 1
    } else {
      await this.#keeper.answer({ session, name }, { decision: 'approve', by: 'test' })
      this.#approvals += 1
    }
    this.#answered.add(key)
  }
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
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

/** The workers of each tree, in the order in which the lead and the chief start them. */
function missingEffects(ids: readonly string[], calls: number, lines: readonly string[]): string[] {
  const done = new Set(lines.map((line) => line.split(' ')[1]))
  const names = ['0.0', '0.1', '1', '2']
  return ids.flatMap((id) =>
    names.flatMap((name) =>
      Array.from({ length: calls }, (_, n) => n + 1).flatMap((round) => {
        const isRead = (round - 1) % 3 === 0 && !(round === calls && name === '1')
        const what = `${id}/${name}/${round}`
        return isRead || done.has(what) ? [] : [what]
      }),
    ),
  )
}

/** The server may be down. */
async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== 'backend' && code !== 'owned') throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
