import { expect } from 'vitest'
import { sampled } from '../../tests/support/amount.ts'
import { openExample, runExample } from '../support/example.ts'

const test = sampled(2)

const work = 'Write down which port each service listens on'

test('the planner has facts looked up, an action done and the outcome judged, one after the other', async () => {
  const run = await runExample('operators', ['--team', 'operators', '--allow', 'write', work])
  expect(run.stderr).toBe('')
  expect(run.code).toBe(0)
  expect(run.report).toMatchObject({ agent: 'planner-001', status: 'completed', sessions: 4 })
  const [session] = run.project.sessions().filter((id) => id.startsWith('planner'))
  expect(run.report.notices).toEqual([
    { code: 'workspace', message: expect.stringContaining(`cadre workspace merge ${session}`) },
  ])
  expect(run.delegations).toEqual([
    'planner-001 → retriever-001',
    'planner-001 → executor-001',
    'planner-001 → evaluator-001',
  ])
  expect(run.together('retriever-001', 'executor-001')).toBe(false)
  // All of them work in the planner's own workspace; their changes are merged when a person requests it.
  expect(run.project.exists('workspace/docs/ports.md')).toBe(false)
  const merged = await run.project.cadre(['workspace', 'merge', session ?? ''])
  expect(merged.stdout).toContain('docs/ports.md')
  expect(merged.code).toBe(0)
  expect(run.project.read('workspace/docs/ports.md')).toBe('# Ports\n\n- gateway: 8443\n- worker: 9000\n')

  // Each operator keeps to its tools.
  expect(run.calls('refused')).toEqual([
    'retriever-001 write_file',
    'executor-001 search_files',
    'evaluator-001 edit_file',
  ])
  expect(run.project.read('workspace/config/worker.yaml')).toBe('listen: 9000\n')

  // A judgement without a verdict is sent back.
  expect(run.said('evaluator-001')).toEqual([expect.stringContaining('lacks these sections: Verdict.')])
  const judged = run.all('session.ended').find(({ report }) => report.agent === 'evaluator-001')?.report
  expect(judged?.sections).toMatchObject({ Verdict: expect.stringMatching(/^accepted/) })
})

test('without a permission, a write waits for a person', async () => {
  const run = await runExample('operators', ['--team', 'operators', work])
  expect(run.code).toBe(3)
  expect(run.all('call.judged').find(({ decision }) => decision === 'ask')).toMatchObject({
    agent: 'executor-001',
    tool: 'write_file',
    by: 'policy',
    rule: 'effects.write',
  })
  expect(run.project.exists('workspace/docs/ports.md')).toBe(false)
})

test('missing tools are not offered, and nobody is asked about them', async () => {
  const project = openExample('operators')
  const steps = [{ expect: { withoutTools: ['read_file', 'write_file'] }, reply: 'Hello.' }]
  project.write('playbook.yaml', { lanes: { 'planner-001': steps } })
  const { stderr, report } = await runExample('operators', ['--team', 'operators', work], project)
  expect(stderr).toBe('')
  expect(report).toMatchObject({ status: 'completed', text: 'Hello.' })
  expect(report.notices ?? []).toEqual([])
})
