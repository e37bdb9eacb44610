import { appendFileSync } from 'node:fs'
import {
  createOrchestrator,
  defineTool,
  type Engine,
  type ModelRequest,
  type Orchestrator,
  object,
  type Reply,
  type Rule,
  string,
  type Tool,
} from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { agentsOf, call, defineAgent, say } from '@cadre/testing'

/** What a tree does, written into its work, so that every process gives the same replies. */
export interface Plan {
  readonly tree: string
  /** Workers below the lead; every third one is a chief with two workers of its own. */
  readonly workers: number
  /** Tool calls of each worker. */
  readonly calls: number
  /** The name of a worker in its tree. */
  readonly worker?: string
}

export interface KillTeamOptions {
  readonly engine: Engine
  /** Every effect appends a line to this file: the tool, what it did, and the key of the call. */
  readonly effects: string
  /** The longest time of a model's reply and of a tool, in milliseconds. */
  readonly latency: number
  readonly process: string
}

const tools = ['look', 'note', 'launch', 'send'] as const

/** A lead with workers that act, on a scripted model. No tool can check whether it took effect. `send` needs approval. */
export function createKillTeam({ engine, effects, latency, process }: KillTeamOptions): Orchestrator {
  const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * latency))
  let count = 0
  return createOrchestrator(
    {
      engine,
      models: { resolve: async () => ({ kind: 'found', model: { id: 'scripted', reply } }) },
      agents: agentsOf(
        [{ name: 'lead' }, { name: 'chief', delegates: { kind: 'all' } as const }, { name: 'worker' }].map(
          defineAgent,
        ),
      ),
      tools: tools.map((name) => effectTool(name, effects, pause)),
      rules: [askBeforeSending],
      clock: systemClock,
      ids: { session: (agent) => `${agent}-${process}-${++count}` },
      emit: () => {},
    },
    { limits: { maxRounds: 100 } },
  )

  async function reply(request: ModelRequest): Promise<Reply> {
    await pause()
    return replyTo(request)
  }
}

const askBeforeSending: Rule<string> = {
  by: 'policy',
  name: 'sending',
  immediate: true,
  judge: ({ tool }) =>
    tool.name === 'send'
      ? { kind: 'ask', by: 'policy', rule: 'sending', reason: 'it is sent to others' }
      : undefined,
}

function effectTool(name: string, effects: string, pause: () => Promise<unknown>): Tool {
  const isRead = name === 'look'
  return defineTool({
    name,
    description: name,
    class: isRead ? 'read' : 'execute',
    effect: isRead ? 'read' : 'execute',
    input: object({ what: string('What') }),
    async run({ what }, { key }) {
      // Half of the effects happen at the end of the call.
      const isLate = what.length % 2 === 0
      if (isLate) await pause()
      if (!isRead) appendFileSync(effects, `${name} ${what} ${key}\n`)
      if (!isLate) await pause()
      return { content: `did ${what}` }
    },
  }) as unknown as Tool
}

function replyTo({ agent, round, messages }: ModelRequest): Reply {
  const plan = planIn(String(messages[0]?.content))
  const delegate = (agentName: string, worker: string) =>
    [
      'delegateWork',
      { agentName, workDescription: JSON.stringify({ ...plan, worker }), reportExpectations: 'all' },
    ] as const
  if (agent === 'lead') {
    if (round > 1) return say('everything is done')
    const names = Array.from({ length: plan.workers }, (_, n) => String(n))
    return call(...names.map((name, n) => delegate(n % 3 === 0 ? 'chief' : 'worker', name)))
  }
  if (agent === 'chief') {
    if (round > 1) return call(['reportOut', { report: 'done' }])
    return call(delegate('worker', `${plan.worker}.0`), delegate('worker', `${plan.worker}.1`))
  }
  if (round > plan.calls) return call(['reportOut', { report: 'done' }])
  const isLast = round === plan.calls
  const tool = isLast && plan.worker === '1' ? 'send' : tools[(round - 1) % 3]
  return call([tool as string, { what: `${plan.tree}/${plan.worker}/${round}` }])
}

/** The work of a child has headings around it. */
function planIn(text: string): Plan {
  const from = text.indexOf('{')
  return JSON.parse(text.slice(from, text.indexOf('}', from) + 1)) as Plan
}
