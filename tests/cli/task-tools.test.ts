import { expect, test } from 'vitest'
import { agentFile, createProject, type Project } from './support/project.ts'

const file = '.cadre/tasks/assistant.task.md'

/** An agent that creates a task, and then reports the result. */
function createTeam(files: Record<string, string> = {}): Project {
  const call = { tool: 'create_task', input: { title: 'Check the backup', who: 'ops' } }
  return createProject({
    // Without a daemon, only agents that name the tool get it.
    ...agentFile('assistant', { tools: ['create_task'] }),
    'p.yaml': { lanes: { assistant: [{ calls: [call] }, { reply: 'It says: {{last}}' }] } },
    ...files,
  })
}

const run = (project: Project, ...flags: string[]) =>
  project.cadre(['run', '--model', 'scripted:p.yaml', '--json', '--agent', 'assistant', ...flags, 'Plan it.'])

test('a task is created without approval, and can be queried', async () => {
  const project = createTeam()
  const { code, json } = await run(project)
  expect(code).toBe(0)
  expect(json().at(-1)).toMatchObject({ text: expect.stringContaining('"success":true') })
  expect(project.read(file)).toMatch(
    /^## TODO\n\n- \[ \] @ops "Check the backup"\n {2}id: task-[0-9a-f]{8}\n {2}created: \S+\n {2}created_by: assistant-\S+\n {2}key: [0-9a-f]{12}\n$/,
  )
  const listed = await project.cadre(['tasks', '--json'])
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { title: 'Check the backup', who: ['ops'], state: 'open' },
  ])
})

test.each([
  ['this run is read-only', ['--read-only'], 'this run is read-only'],
  ['the tool is denied for this run', ['--deny-tool', 'create_task'], 'create_task is denied for this run'],
  ['its class is denied for this run', ['--deny-tool', 'todo'], 'create_task is denied for this run'],
  [
    'no person is available and everything needs approval',
    ['--approval-required', '--no-human'],
    'no person is available',
  ],
])('denied if %s', async (_, flags, reason) => {
  const project = createTeam()
  expect((await run(project, ...flags)).json().at(-1)).toMatchObject({
    text: expect.stringContaining(reason),
  })
  expect(project.exists(file)).toBe(false)
})

test.each([
  ['deny', 0, 'the policy denies writing files'],
  ['ask', 3, undefined],
])('a policy with %s for writing applies to tasks', async (permission, expected, reason) => {
  const project = createTeam({ '.cadre/storage/policy.yaml': `effects: { write: ${permission} }\n` })
  const { code, json } = await run(project, '--trust')
  expect(code).toBe(expected)
  if (reason !== undefined) expect(json().at(-1)).toMatchObject({ text: expect.stringContaining(reason) })
  expect(project.exists(file)).toBe(false)
})

test('an approval for tasks describes the task, and grants nothing in the workspace', async () => {
  const project = createTeam({ '.cadre/storage/policy.yaml': 'effects: { write: ask }\n' })
  await run(project, '--trust')
  const { stdout } = await project.cadre(['approvals'])
  expect(stdout).toContain('the call changes task files in the home directory')
  expect(stdout).not.toContain('workspace')
})
