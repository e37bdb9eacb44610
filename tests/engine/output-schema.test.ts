import { call, createTestTeam, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { fileWorld } from './worlds.ts'

const outputSchema = {
  type: 'object',
  required: ['ok'],
  additionalProperties: false,
  properties: { ok: { type: 'boolean' } },
}

function teamOf(lead: Parameters<typeof createTestTeam>[0]['lanes'][string], worker: typeof lead = []) {
  return createTestTeam({ agents: [{ name: 'lead' }, { name: 'worker' }], lanes: { lead, worker } })
}

test.each([
  ['bare', '{"ok": true}'],
  ['in a fence', 'Here it is:\n```json\n{"ok": true}\n```\nGlad to help.'],
])('accepts JSON that validates: %s', async (_, text) => {
  const team = teamOf([say(text)])
  const report = await team.report({ agent: 'lead', outputSchema })
  expect(report).toMatchObject({ status: 'completed', output: { ok: true } })
  expect(team.models.requests[0]?.system).toContain('"required":["ok"]')
})

test('sends the answer back with its errors, then accepts the corrected one', async () => {
  const team = teamOf([say('All fine!'), say('{"ok": 1}'), say('{"ok": false}')])
  const report = await team.report({ agent: 'lead', outputSchema })
  expect(report).toMatchObject({ status: 'completed', output: { ok: false } })
  const said = team.models.requests.map(({ messages }) => messages.at(-1)?.content)
  expect(said[1]).toContain('not JSON')
  expect(said[2]).toContain('ok must be boolean')
})

test('ends as incomplete, without output, after three corrections', async () => {
  const report = await teamOf([say('a'), say('b'), say('c'), say('{}')]).report({
    agent: 'lead',
    outputSchema,
  })
  expect(report).toMatchObject({ status: 'incomplete', notices: [{ code: 'schema' }] })
  expect(report.notices?.[0]?.message).toContain('ok is missing')
  expect(report).not.toHaveProperty('output')
})

test('asks only the entry session for JSON', async () => {
  const delegate = call(['delegate_task', { subagent_type: 'worker', prompt: 'p', wait_for_result: true }])
  const team = teamOf([delegate, say('{"ok": true}')], [say('just text')])
  expect(await team.report({ agent: 'lead', outputSchema })).toMatchObject({ status: 'completed' })
  const worker = team.models.requests.find(({ agent }) => agent === 'worker')
  expect(worker?.system).not.toContain('JSON Schema')
})

test('still applies when another process resumes the session', async () => {
  const world = fileWorld()
  const stop = new AbortController()
  const hang = () => {
    stop.abort()
    return 'hang' as const
  }
  const options = { agents: [{ name: 'lead' }], clock: world.clock }
  const first = createTestTeam({ ...options, engine: await world.open(), lanes: { lead: [hang] } })
  await first.run({ agent: 'lead', outputSchema }, stop.signal)
  await world.close()
  const again = createTestTeam({
    ...options,
    engine: await world.open(),
    lanes: { lead: [say('no'), say('{"ok": true}')] },
  })
  const result = await again.orchestrator.resume('lead-1', {}, new AbortController().signal)
  expect(result).toMatchObject({ report: { output: { ok: true } } })
  await world.dispose()
})
