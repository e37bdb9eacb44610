import { createModels } from '@cadre/backends'
import { type Budget, createOrchestrator, type RunLimits } from '@cadre/core'
import {
  agentsOf,
  answers,
  countingIds,
  createFakeClock,
  createMemoryEngine,
  defineAgent,
  startWire,
  type WireAnswer,
  type WireReply,
  type WireRequest,
} from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { countingTools } from './tools.ts'

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools?: readonly unknown[]
  readonly max_completion_tokens?: number
  readonly max_tokens?: number
}

const price = { input: 2.5, output: 10 }
const prices = { models: { 'openai:m': { price } } }

/** A model server that bills its input and output, and writes as much as allowed. */
async function billing(answer: (reply: WireReply, request: WireRequest, body: Body) => WireAnswer = whole) {
  const bill = { tokens: 0, cost: 0, requests: 0, unlimited: 0 }
  const wire = await startWire((request) => {
    const body = request.body as Body
    // Four bytes per token, as in plain English, including the framing of messages.
    const input = Math.ceil(Buffer.byteLength(JSON.stringify([body.messages, body.tools ?? []])) / 4)
    const limit = body.max_completion_tokens ?? body.max_tokens
    if (limit === undefined) bill.unlimited += 1
    const output = Math.min(3_000, limit ?? 3_000)
    bill.requests += 1
    bill.tokens += input + output
    bill.cost += (input * price.input + output * price.output) / 1e6
    const isLead = JSON.stringify(body.messages[0]).includes('You are lead')
    const isFirst = !body.messages.some(({ role }) => role === 'assistant')
    const delegation = { agentName: 'worker', workDescription: 'w'.repeat(500), reportExpectations: 'r' }
    const calls = isFirst
      ? isLead
        ? Array.from({ length: 8 }, () => ({ name: 'delegateWork', input: delegation }))
        : [{ name: 'look', input: { path: 'a', size: 4_000 } }]
      : isLead
        ? []
        : [{ name: 'reportOut', input: { report: 'r' } }]
    const named = calls.map((one, index) => ({ ...one, id: `c${request.number}-${index}` }))
    const isCut = output < 3_000
    const reply = {
      text: named.length === 0 || isCut ? 'words '.repeat(20) : '',
      calls: isCut ? [] : named,
      usage: { input, output },
      ...(isCut && { finish: 'length' }),
    }
    return answer(reply, request, body)
  })
  return { wire, bill }
}

const whole = (reply: WireReply): WireAnswer => answers.reply(reply)

async function run(url: string, options: { limits?: Partial<RunLimits>; ceilings?: Partial<RunLimits> }) {
  const clock = createFakeClock()
  const orchestrator = createOrchestrator(
    {
      engine: createMemoryEngine({ clock }),
      models: createModels({
        model: 'openai:m',
        config: prices,
        env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'k' },
        random: () => 0,
      }),
      agents: agentsOf([defineAgent({ name: 'lead' }), defineAgent({ name: 'worker' })]),
      tools: countingTools().tools,
      clock,
      ids: countingIds(),
      emit: () => {},
    },
    options,
  )
  const request = { agent: 'lead', work: 'do it', workspace: '/work' }
  const result = await orchestrator.start(request, new AbortController().signal)
  if (result.kind === 'waiting') throw new Error('waits')
  return result.report
}

describe('eight parallel children on a model server that bills', () => {
  test('spend far more without a budget, and send no limit', async () => {
    const { wire, bill } = await billing()
    await using _ = wire
    expect(await run(wire.url, {})).toMatchObject({ status: 'completed', sessions: 9 })
    expect(bill.tokens).toBeGreaterThan(50_000)
    expect(bill.unlimited).toBe(bill.requests)
  })

  test.each<[string, Budget, 'limits' | 'ceilings']>([
    ['8,000 tokens', { tokens: 8_000 }, 'limits'],
    ['40,000 tokens', { tokens: 40_000 }, 'limits'],
    ['$0.20', { cost: 0.2 }, 'limits'],
    ['a ceiling of $0.20', { cost: 0.2 }, 'ceilings'],
    ['$0.50 and 45,000 tokens', { cost: 0.5, tokens: 45_000 }, 'limits'],
  ])('never spend more than %s', async (_name, budget, kind) => {
    const { wire, bill } = await billing()
    await using _ = wire
    const report = await run(wire.url, { [kind]: { budget } })
    expect(bill.tokens).toBeLessThanOrEqual(budget.tokens ?? Infinity)
    expect(bill.cost).toBeLessThanOrEqual(budget.cost ?? Infinity)
    expect(bill.requests).toBeGreaterThan(0)
    expect(bill.unlimited).toBe(0)
    expect(report).toMatchObject({ status: 'incomplete' })
    expect(report.notices?.at(-1)?.code).toBe('budget_exceeded')
  })

  test('count every attempt of a request that a broken connection may have billed', async () => {
    const { wire, bill } = await billing((reply, { number }) =>
      number % 2 === 0 ? answers.reply({ ...reply, done: false }, { end: 'reset' }) : answers.reply(reply),
    )
    await using _ = wire
    const report = await run(wire.url, { limits: { budget: { tokens: 60_000 } } })
    expect(bill.tokens).toBeLessThanOrEqual(60_000)
    expect(bill.requests).toBeGreaterThan(4)
    expect(report.notices?.at(-1)?.code).toBe('budget_exceeded')
  })

  test('do not pay for requests that the server rejects', async () => {
    let refused = 0
    const { wire } = await billing((reply) =>
      ++refused <= 3
        ? answers.problem(429, 'slow down', { headers: { 'retry-after-ms': '1' } })
        : answers.reply(reply),
    )
    await using _ = wire
    // Room for one request at a time: if the rejected ones counted, none would be left.
    const report = await run(wire.url, { limits: { budget: { tokens: 25_000 } } })
    expect(refused).toBeGreaterThan(3)
    expect(report.usage.output).toBeGreaterThan(0)
  })

  test('fail with a fix if the server accepts no limit on a reply', async () => {
    const { wire, bill } = await billing((reply, _request, body) => {
      const name = ['max_completion_tokens', 'max_tokens'].find((one) => one in body)
      return name === undefined
        ? answers.reply(reply)
        : answers.problem(400, `Unrecognized request argument supplied: ${name}`)
    })
    await using _ = wire
    const report = await run(wire.url, { limits: { budget: { tokens: 100_000 } } })
    expect(report.notices?.at(-1)?.message).toContain('Use another server or model, or remove the budget.')
    expect(bill.requests).toBe(2)
    expect(await run(wire.url, { limits: { budget: { calls: 100 } } })).toMatchObject({ status: 'completed' })
  })
})
