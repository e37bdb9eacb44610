import fs from 'node:fs'
import { createOrchestrator, defineTool, object, string } from '@cadre/core'
import { systemClock } from '@cadre/disk'

const usage = { input: 100, output: 20 }
const say = (content) => ({ kind: 'reply', content, calls: [], usage })
const call = (...calls) => ({
  kind: 'reply',
  content: null,
  calls: calls.map(([name, input]) => ({
    id: '',
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  })),
  usage,
})

/**
 * A lead and its workers, on a scripted model without latency, the same on every engine. What a tree does is in its work, so that every
 * process gives the same replies: `workers` that make `calls` calls of `tool` each; or, with `asks`, one call that needs approval.
 */
export function createScaleTeam({ engine, effects, prefix, waitMs = 0 }) {
  const model = { id: 'scripted', reply: async (request) => replyTo(request) }
  const effect = (name, run) =>
    defineTool({
      name,
      description: name,
      class: 'execute',
      effect: 'execute',
      input: object({ what: string('What') }),
      run: async ({ what }) => run(what),
    })
  const tools = [
    effect('note', (what) => {
      fs.appendFileSync(effects, `${what}\n`)
      return { content: `did ${what}` }
    }),
    effect('produce', (what) => ({ content: what[0].repeat(10_000) })),
    effect('wait', async (what) => {
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      return { content: what }
    }),
    effect('send', (what) => ({ content: `sent ${what}` })),
  ]
  const agents = ['lead', 'worker'].map((name) => ({
    name,
    description: name,
    prompt: `You are ${name}.`,
    tools: { kind: 'all' },
  }))
  let count = 0
  return createOrchestrator(
    {
      engine,
      models: { resolve: async () => ({ kind: 'found', model }) },
      agents: { get: (name) => agents.find((agent) => agent.name === name), list: () => agents },
      tools,
      rules: [
        {
          by: 'policy',
          name: 'sending',
          immediate: true,
          judge: ({ tool }) =>
            tool.name === 'send' ? { kind: 'ask', by: 'policy', rule: 'sending', reason: 'x' } : undefined,
        },
      ],
      clock: systemClock,
      ids: { session: (agent) => `${agent}-${prefix}-${++count}` },
      emit: () => {},
    },
    { limits: { concurrency: 5000, sessions: 100_000, maxRounds: 5000 } },
  )
}

export const requestOf = (plan) => ({
  agent: 'lead',
  work: JSON.stringify(plan),
  workspace: process.cwd(),
  plain: false,
})

function replyTo({ agent, round, messages }) {
  const text = messages[0].content
  const from = text.indexOf('{')
  const plan = JSON.parse(text.slice(from, text.indexOf('}', from) + 1))
  if (agent === 'lead') {
    if (plan.asks) return round === 1 ? call(['send', { what: plan.id }]) : say('done')
    if (round > 1) return say('everything is done')
    return call(
      ...Array.from({ length: plan.workers }, (_, n) => [
        'delegateWork',
        {
          agentName: 'worker',
          workDescription: JSON.stringify({ ...plan, worker: n }),
          reportExpectations: 'all',
        },
      ]),
    )
  }
  if (round > plan.calls) return call(['reportOut', { report: 'done' }])
  return call([plan.tool, { what: `${plan.id}/${plan.worker}/${round}` }])
}
