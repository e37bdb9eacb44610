import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amount } from '../support/amount.ts'
import '../support/seed.ts'
import { createPlannedWorld, type Plan, type PlannedCall, planText } from './planned-run.ts'

const tool: fc.Arbitrary<PlannedCall> = fc.constantFrom(
  { tool: 'read_file', input: { path: 'known.txt' } },
  { tool: 'read_file', input: { path: 'missing.txt' } },
  { tool: 'list_directory', input: { path: '.' } },
  { tool: 'write_file', input: { path: 'made.txt', content: 'made\n' } },
  { tool: 'write_file', input: { path: '../outside.txt', content: 'x' } },
  { tool: 'execute_command', input: { command: 'touch ran' } },
  { tool: 'execute_command', input: { command: 'curl example.com' } },
  { tool: 'nothing', input: {} },
  { tool: 'read_file', input: { paths: 7 } },
)

const plan: fc.Memo<Plan> = fc.memo((depth) =>
  fc.record({
    rounds: fc.array(
      fc.record({
        calls: fc.array(
          depth <= 1
            ? tool
            : fc.oneof(
                { arbitrary: tool, weight: 3 },
                {
                  arbitrary: fc.record({
                    delegate: fc.constantFrom('a', 'b', 'c', 'd'),
                    wait: fc.boolean(),
                    plan: plan(),
                  }),
                  weight: 2,
                },
              ),
          { minLength: 1, maxLength: 3 },
        ),
        fails: fc.nat({ max: 19 }).map((n) => n === 0),
      }),
      { maxLength: 3 },
    ),
    end: fc.constantFrom('Done.', '', 'All is well.'),
  }),
)

test('a random tree, recorded and replayed, gives no difference', { timeout: 600_000 }, async () => {
  const world = createPlannedWorld()
  let asked = 0
  let most = 0
  const runtime = await world.open({
    ask: async () => ({ decision: asked++ % 3 === 0 ? 'reject' : 'approve', by: 'ann' }),
  })
  await fc.assert(
    fc.asyncProperty(plan(3), async (one) => {
      const result = await runtime.run({ agent: 'a', work: planText(one) })
      if (result.kind !== 'report') throw new Error('it waits')
      const fixture = await world.record(result.report.session)
      const { differences, sessions } = await world.replay(fixture)
      expect(differences).toEqual([])
      expect(sessions).toBe(result.report.sessions)
      most = Math.max(most, sessions)
    }),
    { numRuns: amount({ usual: 1, deep: 60 }) },
  )
  expect(most).toBeGreaterThan(1)
  await runtime.close()
})
