import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { openExample, runExample } from '../support/example.ts'

const work = 'Add a function that turns a title into a slug, and prove that it works'

test('the supervisor routes by what is uncertain, and requires evidence', async () => {
  const run = await runExample('supervisor', ['--team', 'supervisor', work])
  expect(run.stderr).toBe('')
  expect(run.code).toBe(0)
  expect(run.report).toMatchObject({ agent: 'supervisor', status: 'completed', sessions: 8 })
  expect(run.report.notices ?? []).toEqual([])

  expect(run.delegations.slice(0, 2).toSorted()).toEqual([
    'supervisor → architect',
    'supervisor → researcher',
  ])
  expect(run.together('researcher', 'architect')).toBe(true)
  // Every change is verified, and the second round of the builder is based on a diagnosis.
  expect(run.delegations.slice(2)).toEqual([
    'supervisor → builder',
    'supervisor → verifier',
    'supervisor → diagnostician',
    'supervisor → builder',
    'supervisor → verifier',
  ])

  // A call that exceeds a role is refused and has no effect.
  expect(run.calls('refused').toSorted()).toEqual([
    'architect get_errors',
    'researcher write_file',
    'supervisor write_file',
    'verifier edit_file',
  ])
  expect(run.project.exists('workspace/notes.md')).toBe(false)
  expect(run.project.read('workspace/src/slug.js')).not.toMatch(/by the supervisor|slice\(0, -1\)/)

  // A report without a required section is sent back, and then complete.
  expect(run.said('researcher')).toEqual([
    expect.stringContaining('The report lacks these sections: Recommended Next Agent.'),
    expect.stringContaining('researcher.md lacks these sections: Recommended Next Agent.'),
  ])
  expect(run.project.read('workspace/.github/hooks/artifacts/researcher.md')).toMatch(
    /^## Recommended Next Agent$/m,
  )
  const sections = run
    .all('session.ended')
    .map(({ report }) => [report.agent, ...Object.keys(report.sections ?? {})])
  expect(sections).toContainEqual([
    'researcher',
    'Sources Examined',
    'Key Findings',
    'Recommended Next Agent',
  ])
  expect(sections).toContainEqual([
    'verifier',
    'Verification Report',
    'Verdict',
    'Failing Commands or Evidence',
  ])

  expect(run.report.handoffs?.map(({ label, agent }) => `${label} → ${agent}`)).toEqual([
    'Verify Again → supervisor',
    'Find the Cause → supervisor',
  ])
  // The code that the builder wrote works.
  const tests = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: run.project.at('workspace'),
    encoding: 'utf8',
  })
  expect(tests.stdout).toMatch(/^# pass 3$/m)
})

test('a handoff of the supervisor continues under its rules', async () => {
  const project = openExample('supervisor')
  const sections =
    '## Verification Report\nread\n\n## Verdict\nPASS: it holds\n\n## Failing Commands or Evidence\nNone.'
  const verify = {
    agentName: 'verifier',
    workDescription: 'Check it once more.',
    reportExpectations: 'A verdict.',
  }
  const again = [{ calls: [{ tool: 'delegateWork', input: verify }] }, { reply: 'Verified again.' }]
  project.write('playbook.yaml', {
    lanes: {
      supervisor: {
        sessions: [{ when: { history: 'Have the verifier' }, steps: again }, { steps: [{ reply: 'Done.' }] }],
      },
      verifier: [{ calls: [{ tool: 'reportOut', input: { report: sections } }] }],
    },
  })
  const model = ['--model', 'scripted:playbook.yaml', '--workspace', 'workspace']
  const { stderr, json } = await project.cadre(['chat', '--json', '--team', 'supervisor', ...model], {
    input: `${work}\n1\n`,
  })
  expect(stderr).toBe('')
  expect(json().at(-1)).toMatchObject({ agent: 'supervisor', status: 'completed', text: 'Verified again.' })
})
