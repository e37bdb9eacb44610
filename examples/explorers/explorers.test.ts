import { expect } from 'vitest'
import { sampled } from '../../tests/support/amount.ts'
import { type ExampleRun, openExample, runExample } from '../support/example.ts'

const test = sampled(2)

const work = 'Find out where settings come from and who uses them, and document it'

test('the lead starts three agents at once, and the fourth with their findings', async () => {
  const run = await runExample('explorers', ['--team', 'explorers', work])
  expect(run.stderr).toBe('')
  expect(run.code).toBe(0)
  expect(run.report).toMatchObject({ agent: 'lead', status: 'completed', sessions: 5 })
  expect(run.report.notices ?? []).toEqual([])
  expect(run.together('Explore', 'Explore', 'Plan')).toBe(true)
  expect(run.delegations.at(-1)).toBe('lead → general-purpose')
  // One follow-up per round, with all its results.
  const [first, second, ...more] = run.said('lead')
  expect(more).toEqual([])
  expect(first?.match(/<subagent_result agent_type="\w+"/g)).toHaveLength(3)
  expect(second).toContain('<subagent_result agent_type="general-purpose"')
  expect(run.project.read('workspace/docs/settings.md')).toContain('`BEACON_SETTINGS`')

  // Explorers change nothing, and no subagent starts another.
  expect(run.calls('refused').toSorted()).toEqual([
    'Explore create_file',
    'Explore delegate_task',
    'general-purpose delegate_task',
  ])
  expect(run.project.exists('workspace/notes.md')).toBe(false)

  expect(modelOf(run, 'Explore')).toMatch(/playbook\.yaml#haiku$/)
  expect(modelOf(run, 'Plan')).toBe(modelOf(run, 'lead'))
})

function modelOf(run: ExampleRun, agent: string): string | undefined {
  return run.all('session.started').find((event) => event.agent === agent)?.model
}

test('Explore uses the model of the lead if there is no fast one', async () => {
  const project = openExample('explorers')
  project.write('playbook.yaml', `models: { other: {} }\n${project.read('playbook.yaml')}`)
  const plain = await runExample('explorers', ['--team', 'explorers', work], project)
  expect(plain.report).toMatchObject({ status: 'completed' })
  expect(modelOf(plain, 'Explore')).toBe(modelOf(plain, 'lead'))
})

test('a strict lead cannot read files itself', async () => {
  for (const variant of ['strict', 'strict-v2']) {
    const project = openExample('explorers')
    const lead = [
      { calls: [{ tool: 'read_file', input: { path: 'README.md' } }] },
      {
        expect: { tools: ['delegate_task'], withoutTools: ['read_file', 'grep_search'] },
        reply: 'So be it.',
      },
    ]
    project.write('playbook.yaml', { lanes: { lead } })
    const run = await runExample('explorers', ['--team', `explorers/${variant}`, work], project)
    expect(run.report).toMatchObject({ status: 'completed', text: 'So be it.' })
    expect(run.calls('refused')).toEqual(['lead read_file'])
  }
})

test('each subagent has the rounds of its kind, and no more', async () => {
  const endless = { default: { calls: [{ tool: 'no_such_tool', input: {} }] } }
  const task = (subagent_type: string) => ({ tool: 'delegate_task', input: { subagent_type, prompt: 'Go.' } })
  const types = ['Explore', 'Plan', 'Bash', 'general-purpose']
  const lead = [{ calls: types.map(task) }, { reply: 'Under way.' }, { reply: 'Done.' }]
  const project = openExample('explorers')
  project.write('playbook.yaml', { lanes: { lead, '*': endless } })
  project.write('.cadre/config.yaml', { limits: { identicalCalls: 0 } })
  const run = await runExample('explorers', ['--team', 'explorers', work], project)
  const rounds = types.map((type) => {
    const session = run.all('session.started').find(({ agent }) => agent === type)?.session
    return run.all('round.started').filter((event) => event.session === session).length
  })
  expect(rounds).toEqual([15, 20, 15, 30])
})
