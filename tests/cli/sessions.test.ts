import { expect, test } from 'vitest'
import { agentFile, createProject, delegate, type Project, report } from './support/project.ts'

async function createRun(): Promise<{ project: Project; lead: string }> {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'p.yaml': {
      lanes: {
        lead: [
          { calls: [delegate('worker', 'Look around.')], usage: { input: 100, output: 10 } },
          { reply: 'All is done.' },
          { reply: 'You also said: {{last}}' },
        ],
        worker: [
          {
            reply: 'I look.',
            calls: [
              { tool: 'list_directory', input: { path: '.' } },
              { tool: 'read_file', input: { path: 'nothing' } },
            ],
          },
          report('I looked.'),
        ],
      },
    },
  })
  const { json } = await project.cadre(['run', '--json', '--model', 'scripted:p.yaml', 'Do it.'])
  return { project, lead: (json().at(-1) as { session: string }).session }
}

test('list shows the newest first, for people and for machines', async () => {
  const { project, lead } = await createRun()
  const { stdout } = await project.cadre(['sessions', 'list'])
  expect(stdout.split('\n')[0]).toMatch(/^SESSION +AGENT +STATUS +UPDATED +PARENT$/)
  expect(stdout).toMatch(new RegExp(`^worker-\\w+ +worker +completed +[\\d: -]+ +${lead}$`, 'm'))
  const { json } = await project.cadre(['sessions', 'list', '--json'])
  const [list] = json() as unknown as [Record<string, string>[]]
  expect(list.map(({ agent }) => agent)).toEqual(['worker', 'lead'])
  expect(list[1]).toEqual({
    id: lead,
    agent: 'lead',
    status: 'completed',
    created: expect.any(String),
    updated: expect.any(String),
  })
  expect(list[0]).toMatchObject({ parent: lead })
})

test('show tells what happened, round by round', async () => {
  const { project } = await createRun()
  const { stdout } = await project.cadre(['sessions', 'show', 'worker'])
  expect(stdout).toMatch(/^agent +worker$/m)
  expect(stdout).toContain('Look around.')
  expect(stdout).toMatch(/^round 1\n {2}I look\.$/m)
  expect(stdout).toContain('← list_directory . done')
  expect(stdout).toContain('← read_file nothing failed')
  expect(stdout).toMatch(/^report\n {2}I looked\.$/m)
  const { json } = await project.cadre(['sessions', 'show', 'worker', '--json'])
  expect(json()).toMatchObject([
    {
      session: { agent: 'worker', status: 'completed', outcome: 'completed' },
      entries: expect.arrayContaining([expect.objectContaining({ role: 'assistant', content: 'I look.' })]),
      report: { status: 'completed', text: 'I looked.' },
    },
  ])
})

test('tree shows a run from any of its sessions, and the newest without one', async () => {
  const { project, lead } = await createRun()
  const { stdout } = await project.cadre(['sessions', 'tree'])
  expect(stdout).toMatch(new RegExp(`^✓ lead +${lead} +completed`))
  expect(stdout).toMatch(/^└─✓ worker +worker-\w+ +completed/m)
  expect(stdout).toContain('2 sessions')
  const { json } = await project.cadre(['sessions', 'tree', 'worker', '--json'])
  expect(json()).toMatchObject([
    { id: lead, state: 'ended', status: 'completed', children: [{ agent: 'worker' }] },
  ])
})

test('an id is known by its beginning, unless another begins like it', async () => {
  const { project, lead } = await createRun()
  await project.cadre(['run', '--agent', 'lead', '--no-subagents', '--model', 'scripted:p.yaml', 'x'])
  const both = await project.cadre(['sessions', 'show', 'lead-'])
  expect(both.stderr).toMatch(/^cadre: 2 sessions begin with "lead-": .*write more of the id\n$/)
  expect(both.code).toBe(2)
  const one = await project.cadre(['sessions', 'show', lead.slice(0, -1)])
  expect(one.stdout).toContain(lead)
  const near = await project.cadre(['sessions', 'show', `${lead}x`])
  expect(near.stderr).toContain(`did you mean ${lead}`)
})

test('resume with more to say continues the conversation', async () => {
  const { project, lead } = await createRun()
  const { json, code } = await project.cadre(['resume', lead, 'And now?', '--json'])
  expect(code).toBe(0)
  expect(json().at(-1)).toMatchObject({ session: lead, status: 'completed', text: 'You also said: And now?' })
})

test('looking at sessions changes nothing', async () => {
  const { project, lead } = await createRun()
  const before = project.listing()
  for (const command of [
    'sessions list',
    'sessions tree',
    `sessions show ${lead}`,
    `resume ${lead}`,
    `sessions cancel ${lead}`,
    'doctor',
  ])
    await project.cadre(command.split(' '))
  expect(project.listing()).toEqual(before)
})
