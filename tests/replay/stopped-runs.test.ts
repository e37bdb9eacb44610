import { expect, test } from 'vitest'
import { amount, isDeep, share } from '../support/amount.ts'
import { createPlannedWorld, type Plan, planText } from './planned-run.ts'

const read = { tool: 'read_file', input: { path: 'known.txt' } }
const asks = { tool: 'execute_command', input: { command: 'touch ran' } }
const reads = (end: string): Plan => ({ rounds: [{ calls: [read] }], end })

const plans: Record<string, Plan> = {
  'with children that it waits for': {
    rounds: [
      {
        calls: [
          { delegate: 'b', plan: reads('The first is done.'), wait: true },
          { delegate: 'b', plan: reads('So is this one.'), wait: true },
        ],
      },
    ],
    end: 'Done.',
  },
  'with a child in the background': {
    rounds: [{ calls: [{ delegate: 'c', plan: reads('It is done.'), wait: false }, read] }],
    end: 'Done.',
  },
  'that asks a person, and gives an empty answer': { rounds: [{ calls: [read, asks, asks] }], end: '' },
}

// A stop can come between any two steps, for example after the last reply and before the end.
test.each(share(Object.entries(plans), 3))(
  'a run %s, stopped at any moment, and resumed',
  async (_, plan) => {
    const world = createPlannedWorld()
    let stop = new AbortController()
    let stopAt = 0
    let seen: string[] = []
    const runtime = await world.open({
      ask: async () => ({ decision: 'approve', by: 'ann' }),
      onEvent({ type }) {
        if (isDeep || type === 'reply.received') seen.push(type)
        if (seen.length === stopAt) stop.abort()
      },
    })
    const run = async (at: number) => {
      stop = new AbortController()
      stopAt = at
      seen = []
      const result = await runtime.run({ agent: 'a', work: planText(plan) }, stop.signal)
      return result.kind === 'report' ? result.report : expect.fail('the run waits')
    }
    await run(Number.POSITIVE_INFINITY)
    const moments = seen.length
    for (let at = 1; at <= moments; at += amount({ usual: Math.max(1, moments - 1), deep: 1 })) {
      const { session, status } = await run(at)
      if (seen[at - 1] === 'reply.received') expect(status).toBe('cancelled')
      const { differences } = await world.replay(await world.record(session))
      const when = `stopped at event ${at}, ${seen[at - 1]}`
      expect(differences, when).toEqual([])
      if (status !== 'cancelled') continue
      stopAt = 0
      await runtime.orchestrator.resume(session, {}, new AbortController().signal)
      expect((await world.replay(await world.record(session))).differences, `resumed, ${when}`).toEqual([])
    }
    await runtime.close()
  },
)
