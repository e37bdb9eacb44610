import { expect, test } from 'vitest'
import { createPlannedWorld, type Plan, type PlannedWorld, planText } from './planned-run.ts'

const read = { tool: 'read_file', input: { path: 'known.txt' } }
const twice: Plan = { rounds: [{ calls: [read] }, { calls: [read] }], end: 'Done.' }

function writeHook(world: PlannedWorld, event: string, output: object): void {
  const command = `echo '${JSON.stringify(output)}'`
  world.write(
    '.claude/settings.json',
    JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] } }),
  )
}

const after = (text: string) => ({
  hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: text },
})
const before = (path: string) => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'allow',
    updatedInput: { path },
  },
})

/** Records a run, changes something, and replays the run. */
async function differencesAfter(
  change: (world: PlannedWorld) => void,
  prepare: (world: PlannedWorld) => void = () => {},
) {
  const world = createPlannedWorld()
  prepare(world)
  const runtime = await world.open()
  const result = await runtime.run({ agent: 'a', work: planText(twice) })
  await runtime.close()
  const fixture = await world.record(result.kind === 'report' ? result.report.session : '')
  expect((await world.replay(fixture)).differences).toEqual([])
  change(world)
  return (await world.replay(fixture)).differences
}

test('reports a text that a hook now adds to a result', async () => {
  const found = await differencesAfter((world) => writeHook(world, 'PostToolUse', after('Read the rules.')))
  expect(found).toMatchObject([
    { kind: 'result', round: 1, call: { tool: 'read_file' } },
    { kind: 'result', round: 2, call: { tool: 'read_file' }, isAfterDifference: true },
  ])
  expect(found[0]?.before).not.toContain('Read the rules.')
  expect(found[0]?.after).toContain('Read the rules.')
})

test('reports other arguments from the same hook', async () => {
  const found = await differencesAfter(
    (world) => writeHook(world, 'PreToolUse', before('other.txt')),
    (world) => {
      world.write('other.txt', 'other\n')
      writeHook(world, 'PreToolUse', before('known.txt'))
    },
  )
  expect(found[0]).toMatchObject({
    kind: 'call',
    round: 1,
    before: '{"path":"known.txt"}',
    after: '{"path":"other.txt"}',
  })
})

test('reports fewer rounds, and another end, if the limit of an agent is lower', async () => {
  const found = await differencesAfter((world) =>
    world.write(
      '.github/agents/a.agent.md',
      "---\nname: a\ndescription: x\ntools: ['*']\nagents: ['*']\nmax-turns: 1\n---\nYou are a.\n",
    ),
  )
  expect(found).toMatchObject([
    { kind: 'agent', what: 'limits', before: null, after: { maxTurns: 1 } },
    { kind: 'round', round: 1, before: 3, after: 1 },
    {
      kind: 'report',
      before: { status: 'completed' },
      after: { status: 'incomplete', notices: [expect.stringContaining('max_rounds')] },
      isAfterDifference: true,
    },
  ])
})

test('reports a message of a hook that lets the agent continue, and the missing reply', async () => {
  const found = await differencesAfter((world) =>
    writeHook(world, 'Stop', { decision: 'block', reason: 'Run the tests first.' }),
  )
  expect(found).toMatchObject([
    {
      kind: 'message',
      round: 3,
      what: 'stop',
      before: null,
      after: expect.stringContaining('Run the tests first.'),
    },
    { kind: 'round', round: 3, before: 3, after: 4, isAfterDifference: true },
    { kind: 'report', after: { status: 'error' }, isAfterDifference: true },
  ])
})
