import { expect, test } from 'vitest'
import { openExample, runExample } from '../support/example.ts'

const work = 'Have parse-duration reviewed, tested and documented'

test('the coordinator delegates three parts at once, and one of them delegates further', async () => {
  const run = await runExample('coordinator', ['--team', 'coordinator', work])
  expect(run.stderr).toBe('')
  expect(run.code).toBe(0)
  expect(run.report).toMatchObject({ agent: 'coordinator', status: 'completed', sessions: 5 })
  expect(run.report.notices ?? []).toEqual([])
  expect(run.delegations.toSorted()).toEqual([
    'coordinator → code-reviewer',
    'coordinator → documentation-writer',
    'coordinator → test-engineer',
    'test-engineer → code-reviewer',
  ])
  expect(run.together('code-reviewer', 'test-engineer', 'documentation-writer')).toBe(true)
  expect(run.project.read('workspace/test/parse-duration.test.js')).toContain("parseDuration('1h30m')")
  expect(run.project.read('workspace/docs/parse-duration.md')).toContain('# parseDuration')

  // No agent uses a tool or starts an agent that it may not.
  expect(run.calls('refused').toSorted()).toEqual([
    'code-reviewer write_file',
    'coordinator read_file',
    'test-engineer delegateWork',
  ])
  expect(run.project.read('workspace/src/parse-duration.js')).toContain('matchAll')

  // An agent that forgets to report gets a nudge.
  expect(run.said('documentation-writer')).toEqual([expect.stringContaining('You have not reported yet')])
})

test('the variants are a single coordinator, and seven agents that delegate three levels deep', async () => {
  const chain = (agentName: string) => ({
    calls: [
      {
        tool: 'delegateWork',
        input: { agentName, workDescription: 'Go on.', reportExpectations: 'That you did.' },
      },
    ],
  })
  const done = { calls: [{ tool: 'reportOut', input: { report: 'I did.' } }] }
  const lanes = {
    coordinator: {
      sessions: [
        {
          when: { tools: ['write_file'] },
          steps: [
            { calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'alone\n' } }] },
            { reply: 'Alone.' },
          ],
        },
        { steps: [chain('backend-dev'), { reply: 'Together.' }] },
      ],
    },
    'backend-dev': [chain('test-engineer'), done],
    'test-engineer': [chain('code-reviewer'), done],
    'code-reviewer': [done],
  }
  const project = openExample('coordinator')
  project.write('playbook.yaml', { lanes })
  const alone = await runExample('coordinator', ['--team', 'coordinator/minimal', 'x'], project)
  expect(alone.report).toMatchObject({ text: 'Alone.', sessions: 1 })
  expect(project.read('workspace/a.txt')).toBe('alone\n')
  const seven = await runExample('coordinator', ['--team', 'coordinator/advanced', 'x'], project)
  expect(seven.report).toMatchObject({ text: 'Together.', sessions: 4 })
  expect(seven.delegations).toEqual([
    'coordinator → backend-dev',
    'backend-dev → test-engineer',
    'test-engineer → code-reviewer',
  ])
})
