import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { sampled } from '../../tests/support/amount.ts'
import { openExample, runExample } from '../support/example.ts'

const test = sampled(2)

const work = 'Plan how to add a health check'

test('Plan researches through others, drafts, and never implements', async () => {
  const run = await runExample('planner', ['--team', 'planner', work])
  expect(run.stderr).toBe('')
  expect(run.code).toBe(0)
  expect(run.report).toMatchObject({ agent: 'Plan', status: 'completed', sessions: 3 })
  expect(run.report.notices ?? []).toEqual([])
  expect(run.delegations).toEqual(['Plan → Researcher', 'Plan → Researcher'])
  expect(run.together('Researcher', 'Researcher')).toBe(true)
  expect(run.said('Researcher')).toEqual([expect.stringContaining('lacks these sections: Unknowns.')])
  expect(run.calls('refused')).toEqual(['Plan create_file'])
  expect(run.project.exists('workspace/src/health.js')).toBe(false)
  expect(run.report.handoffs).toMatchObject([
    { label: 'Start Implementation', agent: 'Agent', send: true },
    { label: 'Open in Editor', agent: 'Agent', send: true },
  ])
})

test('both handoffs can be accepted: the plan is saved unchanged, and carried out', async () => {
  const project = openExample('planner')
  const options = ['--json', '--allow', 'write', '--model', 'scripted:playbook.yaml']
  const saved = await project.cadre(['chat', ...options, '--team', 'planner', '--workspace', 'workspace'], {
    input: `${work}\n2\n`,
  })
  expect(saved.stderr).toBe('')
  expect(saved.code).toBe(0)
  const [plan, saving] = saved.json().filter(({ type }) => type === 'report')
  expect(saving).toMatchObject({ agent: 'Agent', status: 'completed' })
  // The text of the plan, without front matter.
  expect(project.read('workspace/plan-healthCheck.prompt.md').trim()).toBe(String(plan?.['text']).trim())
  expect(project.exists('workspace/src/health.js')).toBe(false)

  // Continued later, in another process: the team is found again.
  const done = await project.cadre(['chat', ...options, '--resume', String(plan?.['session'])], {
    input: '1\n',
  })
  expect(done.stderr).toBe('')
  expect(done.code).toBe(0)
  expect(done.json().at(-1)).toMatchObject({
    agent: 'Agent',
    status: 'completed',
    handoffs: [{ label: 'Back to the Plan', agent: 'Plan', send: false }],
  })
  const tests = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: project.at('workspace'),
    encoding: 'utf8',
  })
  expect(tests.stdout).toMatch(/^# pass 2$/m)
})

test('CVE_Remediator fixes a vulnerability with the smallest step, and proves it', async () => {
  const project = openExample('planner')
  // The user's own rule also applies without a sandbox.
  project.write('.config/cadre/terminal-cmd-allowlist.yaml', 'node check.js: allow\n')
  const run = await runExample(
    'planner',
    ['--team', 'planner', '--agent', 'CVE_Remediator', '--allow', 'write', 'Mend what is vulnerable'],
    project,
    { workspace: 'vulnerable' },
  )
  // Without bubblewrap, a notice reports that there is no sandbox.
  expect(run.stderr.replace(/^cadre: Commands run without a sandbox.*\n/, '')).toBe('')
  expect(run.code).toBe(0)
  expect(Object.keys(run.report.sections ?? {})).toEqual([
    'Vulnerabilities',
    'Changes',
    'Verification',
    'Remaining Risk',
  ])
  expect(project.read('vulnerable/package.json')).toContain('plain-template-1.0.1')
  const check = spawnSync(process.execPath, ['check.js'], { cwd: project.at('vulnerable'), encoding: 'utf8' })
  expect(check.stdout).toMatch(/^low TILL-2026-0003 .*\nThe tests pass\.\n$/)
  expect(check.status).toBe(0)
})
