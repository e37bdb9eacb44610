import {
  type AgentDefinition,
  type Budget,
  type Clock,
  createOrchestrator,
  defineTool,
  type Engine,
  integer,
  type Ledger,
  type Message,
  type Model,
  type ModelRequest,
  type Orchestrator,
  object,
  type Reply,
  type ReplyFailure,
  type ReplyHooks,
  type SessionSpec,
  type Tool,
  type ToolContext,
  type Usage,
  type WireCall,
} from '@cadre/core'
import { agentsOf, call, countingIds, defineAgent } from '@cadre/testing'
import { crashAt, type World } from './worlds.ts'

/** From 0 (inclusive) to 1 (exclusive); the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Independent counts: by the model's server, and the tools. */
interface Counted {
  requests: number
  tokens: number
  cost: number
  calls: number
}

/** Without a budget, they would keep creating each other. */
const maxTasks = 40

export interface TreeResult {
  readonly seed: number
  readonly sessions: number
  readonly lives: number
  /** For the whole run. */
  readonly counted: Counted
  /** For all its trees, and the tokens that were billed to an agent and the sessions that it started. */
  readonly billed: Counted
  readonly billedTo: (agent: string) => number
  readonly budget: Budget
  readonly events: { readonly summaries: number; readonly retries: number; readonly tasks: number }
  readonly isEndedByBudget: boolean
  /** Exceeded budgets as text; empty if there are none. */
  readonly overdrawn: readonly string[]
}

const never = () => new AbortController().signal

/**
 * One random tree of sessions with random budgets, killed and resumed at random. A server that respects its limits counts
 * what it bills, and tools count their calls: no number here comes from the code under test.
 */
export async function runRandomTree(seed: number, world: World, ledger?: Ledger): Promise<TreeResult> {
  const random = randomOf(seed)
  const pick = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const chance = (share: number) => random() < share
  const server = new HonestServer(random)
  const events = { summaries: 0, retries: 0, tasks: 0 }
  server.onRetry = () => events.retries++
  server.onSummary = () => events.summaries++
  const budget = randomBudget(pick, chance)
  const isCeiling = chance(0.2)
  const own = (share: number) => (chance(share) ? { limits: { budget: randomBudget(pick, chance) } } : {})
  const agents: AgentDefinition[] = [
    defineAgent({ name: 'lead', ...own(0.2) }),
    defineAgent({ name: 'middle', delegates: { kind: 'all' }, ...own(0.3) }),
    defineAgent({ name: 'worker', ...own(0.2), background: chance(0.2) }),
  ]
  const specs = new Map<string, SessionSpec>()
  const called: string[] = []
  /** By the session of a task: the session that created it. */
  const creators = new Map<string, string>()
  const ids = countingIds()
  const lives = 1 + (chance(0.5) ? pick(1, 3) : 0)
  let isEndedByBudget = false

  for (let life = 1; life <= lives; life++) {
    const engine = await world.open()
    const isLast = life === lives
    const { engine: used, death } = crashAt(engine, isLast ? Infinity : pick(2, 60))
    const tasks: Promise<unknown>[] = []
    const orchestrator = team(
      recordSpecs(used, specs),
      tasks,
      isLast,
      ledger && ledgerOf(ledger, seed, death.died),
    )
    const main =
      life === 1
        ? orchestrator.start({ id: 'root', agent: 'lead', work: 'do it', workspace: '/work' }, never())
        : resume(orchestrator, engine)
    const all = main.then(async (result) => {
      if (result?.kind === 'report')
        isEndedByBudget = result.report.notices?.some(({ code }) => code === 'budget_exceeded') ?? false
      // Tasks may create tasks.
      for (let done = 0; done < tasks.length; done++) await tasks[done]
    })
    await Promise.race([all, death.died])
    // Requests of the dead process arrive and are billed.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    await world.close()
  }

  const runs = [...specs.values()].filter(({ parent }) => parent === undefined)
  return {
    seed,
    sessions: specs.size,
    lives,
    counted: counted((id) => isBelow(id, 'root')),
    billed: counted(() => true),
    billedTo: (agent) => counted((id) => specs.get(id)?.chain.includes(agent) ?? false).tokens,
    budget,
    events,
    isEndedByBudget,
    overdrawn: overdrawn(),
  }

  async function resume(orchestrator: Orchestrator, engine: Engine) {
    const stored = await engine.read('root')
    if (stored === undefined)
      return orchestrator.start({ id: 'root', agent: 'lead', work: 'do it', workspace: '/work' }, never())
    const others = [...specs.values()].filter(({ id, parent }) => parent === undefined && id !== 'root')
    const tasks = others.map(async ({ id }) =>
      (await engine.read(id)) === undefined ? undefined : orchestrator.resume(id, {}, never()),
    )
    const result = await orchestrator.resume('root', {}, never())
    await Promise.all(tasks)
    return result
  }

  function team(
    engine: Engine,
    tasks: Promise<unknown>[],
    isLast: boolean,
    shared: Ledger | undefined,
  ): Orchestrator {
    const orchestrator = createOrchestrator(
      {
        engine,
        models: { resolve: () => Promise.resolve({ kind: 'found', model: server.model }) },
        agents: agentsOf(agents),
        tools: [
          ...tools((context) => called.push(context.session)),
          taskTool((context) => {
            called.push(context.session)
            if (events.tasks === maxTasks) return
            events.tasks++
            const id = ids.session('task')
            creators.set(id, context.session)
            const request = { id, agent: 'worker', work: 'a task', workspace: '/work' }
            tasks.push(
              orchestrator.start({ ...request, charged: context.session }, never()).catch((error) => {
                if (isLast) throw error
              }),
            )
          }),
        ],
        clock: world.clock,
        ...(shared && { ledger: shared, clock: withShortPauses(world.clock) }),
        ids,
        emit: () => {},
      },
      { [isCeiling ? 'ceilings' : 'limits']: { budget, maxRounds: 6 } },
    )
    return orchestrator
  }

  function overdrawn(): string[] {
    const found: string[] = []
    for (const { id, agent, limits } of specs.values()) {
      const spent = counted((other) => isBelow(other, id))
      if (limits.budget !== undefined)
        found.push(...overspent(spent, limits.budget, `${id} of ${agent.name}`))
    }
    for (const { id } of runs)
      found.push(
        ...overspent(
          counted((other) => isBelow(other, id)),
          budget,
          id,
        ),
      )
    return found
  }

  function counted(belongs: (session: string) => boolean): Counted {
    const bills = server.bills.filter(({ session }) => belongs(session))
    return {
      requests: bills.length,
      tokens: bills.reduce((sum, { usage }) => sum + usage.input + usage.output, 0),
      cost: bills.reduce((sum, { usage }) => sum + server.costOf(usage), 0),
      calls: called.filter(belongs).length,
    }
  }

  /** True if a session is this one or below it; the session of a task is below the session that created it. */
  function isBelow(session: string, top: string): boolean {
    for (let id: string | undefined = session; id !== undefined; ) {
      if (id === top) return true
      id = specs.get(id)?.parent?.session ?? creators.get(id)
    }
    return false
  }
}

/** A dead process sends no orders. All random trees have the same root, so the ledger gets another name for each. */
function ledgerOf(ledger: Ledger, seed: number, died: Promise<unknown>): Ledger {
  let isDead = false
  void died.then(() => {
    isDead = true
  })
  return {
    ...ledger,
    change: (account, order) =>
      isDead
        ? new Promise(() => {})
        : ledger.change(account, 'root' in order ? { ...order, root: `${seed}-${order.root}` } : order),
  }
}

/** Short pauses pass by themselves: those between questions to a ledger. */
function withShortPauses(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    after(ms, callback) {
      if (ms > 2_000) return clock.after(ms, callback)
      const timer = setTimeout(callback, 1)
      return () => clearTimeout(timer)
    },
  }
}

function randomBudget(
  pick: (from: number, to: number) => number,
  chance: (share: number) => boolean,
): Budget {
  const budget = {
    ...(chance(0.6) && { tokens: pick(300, 120_000) }),
    ...(chance(0.5) && { cost: pick(1, 3_000) / 1_000 }),
    ...(chance(0.4) && { calls: pick(0, 25) }),
  }
  return Object.keys(budget).length === 0 ? { tokens: pick(2_000, 60_000) } : budget
}

function overspent({ tokens, cost, calls }: Counted, budget: Budget, whose: string): string[] {
  const over = (what: string, spent: number, max = Infinity) =>
    spent > max * (1 + 1e-12) ? [`${whose}: ${spent} ${what}, and the budget is ${max}`] : []
  return [
    ...over('tokens', tokens, budget.tokens),
    ...over('dollars', cost, budget.cost),
    ...over('calls', calls, budget.calls),
  ]
}

/** Records the specification of every session. */
function recordSpecs(engine: Engine, specs: Map<string, SessionSpec>): Engine {
  return {
    ...engine,
    open(spec) {
      specs.set(spec.id, spec)
      return engine.open(spec)
    },
  }
}

function tools(count: (context: ToolContext) => void): Tool[] {
  const look = (name: string, effect: 'read' | 'write') =>
    defineTool({
      name,
      description: 'Reads something, and says as much as is asked for',
      class: effect === 'read' ? 'read' : 'edit',
      effect,
      input: object({ size: integer('How much') }),
      async run({ size }, context) {
        count(context)
        return { content: 'ä€x '.repeat(size) }
      },
      check: async () => 'not_done',
    })
  return [look('look', 'read'), look('note', 'write')] as unknown as Tool[]
}

/** Like `create_task` with a daemon that starts the task immediately. */
function taskTool(create: (context: ToolContext) => void): Tool {
  return defineTool({
    name: 'task',
    description: 'Has somebody do something',
    class: 'todo',
    effect: 'write',
    input: object({}),
    async run(_input, context) {
      create(context)
      return { content: 'created' }
    },
    check: async () => 'done',
  }) as unknown as Tool
}

/**
 * A model and its server: it bills every request that reaches it, never writes more than allowed, and may report what it
 * billed. It fails before and after its work, and its client retries.
 */
class HonestServer {
  readonly bills: { readonly session: string; readonly usage: Usage }[] = []
  readonly model: Model
  onRetry: () => void = () => {}
  onSummary: () => void = () => {}
  readonly #random: () => number
  /** Tokens per byte: at most one. */
  readonly #density: number

  constructor(random: () => number) {
    this.#random = random
    this.#density = [1, 0.6, 0.3, 0.25][this.#pick(0, 3)] as number
    const price = { input: this.#pick(0, 40) / 4, output: this.#pick(0, 200) / 4 }
    this.model = {
      id: 'honest',
      capsReplies: true,
      price,
      ...(random() < 0.6 && { maxOutput: this.#pick(100, 4_000) }),
      ...(random() < 0.4 && { window: this.#pick(2_000, 8_000) }),
      reply: (request, hooks, signal) => this.#reply(request, hooks, signal),
    }
  }

  costOf({ input, output }: Usage): number {
    const { price } = this.model
    return price === undefined ? 0 : (input * price.input + output * price.output) / 1e6
  }

  async #reply(request: ModelRequest, hooks: ReplyHooks, signal: AbortSignal): Promise<Reply | ReplyFailure> {
    if (request.purpose === 'summary') this.onSummary()
    let { maxOutput = Infinity } = request
    for (let tries = 1; ; tries++) {
      await this.#delay()
      if (signal.aborted) return { kind: 'failed', code: 'cancelled', message: 'cancelled', spent: 'nothing' }
      const luck = this.#random()
      // Rejected before any work.
      if (luck < 0.04) return { kind: 'failed', code: 'backend', message: 'slow down', spent: 'nothing' }
      const draft = this.#write(request)
      const wanted = this.#pick(1, 2_000)
      const usage = { input: this.#tokensOf(request), output: Math.min(wanted, maxOutput) }
      this.bills.push({ session: request.session, usage })
      await this.#delay()
      if (luck < 0.08) return { kind: 'failed', code: 'backend', message: 'broken' }
      if (luck < 0.16 && tries < 4) {
        this.onRetry()
        const next = await hooks.again?.(this.#random() < 0.5 ? usage : undefined)
        if (next === undefined) return { kind: 'failed', code: 'backend', message: 'not again' }
        maxOutput = next.maxOutput
        continue
      }
      const isCut = wanted > maxOutput
      return {
        ...(isCut ? { ...draft, calls: [], stop: 'length' as const } : draft),
        ...(this.#random() < 0.95 && { usage }),
      }
    }
  }

  #write({ round, tools, purpose }: ModelRequest): Reply {
    const text = (content: string): Reply => ({ kind: 'reply', content, calls: [] })
    if (purpose === 'summary') return text('In short. '.repeat(this.#pick(1, 20)))
    const offered = new Set(tools.map(({ name }) => name))
    const wanted = this.#random()
    if (round > 3 || wanted < 0.15)
      return offered.has('reportOut')
        ? { ...text(''), calls: call(['reportOut', { report: 'r' }]).calls }
        : text('done '.repeat(this.#pick(1, 50)))
    const calls: WireCall[] = []
    for (let left = this.#pick(1, 4); left > 0; left--) calls.push(...this.#call(offered, tools))
    return { kind: 'reply', content: null, calls }
  }

  #call(offered: ReadonlySet<string>, tools: ModelRequest['tools']): readonly WireCall[] {
    const kind = this.#random()
    const targets = tools.find(({ name }) => name === 'delegateWork')?.parameters as
      | { properties?: { agentName?: { enum?: readonly string[] } } }
      | undefined
    const names = targets?.properties?.agentName?.enum ?? []
    if (kind < 0.5 && names.length > 0) {
      const agentName = names[this.#pick(0, names.length - 1)] as string
      return this.#random() < 0.6
        ? call(['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }]).calls
        : call(['delegate_task', { subagent_type: agentName, prompt: 'p' }]).calls
    }
    if (kind < 0.58 && offered.has('task')) return call(['task', {}]).calls
    return call([kind < 0.8 ? 'look' : 'note', { size: this.#pick(1, 400) }]).calls
  }

  #tokensOf({ system, messages, tools }: ModelRequest): number {
    const tokens = (text: string) => Math.ceil(Buffer.byteLength(text) * this.#density)
    const ofMessage = (message: Message) =>
      4 +
      tokens(message.content ?? '') +
      (message.role === 'assistant'
        ? (message.tool_calls ?? []).reduce(
            (sum, { function: f }) => sum + 10 + tokens(f.name) + tokens(f.arguments),
            0,
          )
        : 0)
    const shown = messages.reduce((sum, message) => sum + ofMessage(message), 0)
    return 4 + tokens(system) + shown + (tools.length > 0 ? 300 + tokens(JSON.stringify(tools)) : 0)
  }

  async #delay(): Promise<void> {
    for (let turns = this.#pick(0, 4); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve))
  }

  #pick(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1))
  }
}
