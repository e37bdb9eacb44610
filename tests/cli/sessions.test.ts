import { readFileSync, writeFileSync } from 'node:fs'
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

test('list shows the newest first, for people and as JSON', async () => {
  const { project, lead } = await createRun()
  const { stdout } = await project.cadre(['sessions', 'list'])
  expect(stdout.split('\n')[0]).toMatch(/^SESSION +AGENT +STATUS +UPDATED +PARENT +WORK$/)
  expect(stdout).toMatch(
    new RegExp(`^worker-\\w+ +worker +completed +[\\d: -]+ +${lead} +Look around\\.$`, 'm'),
  )
  const { json } = await project.cadre(['sessions', 'list', '--json'])
  const [list] = json() as unknown as [Record<string, string>[]]
  expect(list.map(({ agent }) => agent)).toEqual(['worker', 'lead'])
  expect(list[1]).toEqual({
    id: lead,
    agent: 'lead',
    status: 'completed',
    created: expect.any(String),
    updated: expect.any(String),
    work: 'Do it.',
  })
  expect(list[0]).toMatchObject({ parent: lead, work: 'Look around.' })
  const roots = await project.cadre(['sessions', 'list', '--roots'])
  expect(roots.stdout).toMatch(
    new RegExp(`^SESSION +AGENT +STATUS +UPDATED +WORK\\n${lead} +lead .* Do it\\.\\n$`),
  )
})

test('show prints the events, round by round', async () => {
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

test('tree shows the run of any of its sessions, and the newest by default', async () => {
  const { project, lead } = await createRun()
  const { stdout } = await project.cadre(['sessions', 'tree', '--sessions'])
  expect(stdout).toMatch(new RegExp(`^✓ lead +${lead} +completed`))
  expect(stdout).toMatch(/^└─✓ worker +worker-\w+ +completed/m)
  expect(stdout).toContain('2 sessions')
  const { json } = await project.cadre(['sessions', 'tree', 'worker', '--sessions', '--json'])
  const [node] = json()
  expect(node).toMatchObject({
    id: lead,
    state: 'ended',
    status: 'completed',
    children: [{ agent: 'worker' }],
  })
  expect(node).not.toHaveProperty('agentRounds')
})

test('tree shows the rounds of each session, their calls, and the sessions that calls started', async () => {
  const { project, lead } = await createRun()
  const { stdout } = await project.cadre(['sessions', 'tree'])
  expect(stdout.split('\n').map((line) => line.replace(/ {2,}(\S+ tok)? +\d+ m?s$/, ''))).toEqual([
    `✓ lead  ${lead}  completed`,
    '├─round 1',
    '│ └─✓ delegateWork worker',
    expect.stringMatching(/^│ {3}└─✓ worker {2}worker-\w+ {2}completed$/),
    '│     ├─round 1  I look.',
    '│     │ ├─✓ list_directory .',
    expect.stringMatching(/^│ {5}│ └─✗ read_file nothing {2}failed: /),
    '│     └─round 2',
    '│       └─✓ reportOut I looked.',
    '└─round 2  All is done.',
    expect.stringMatching(/^2 sessions · /),
    '',
  ])
  const { json } = await project.cadre(['sessions', 'tree', '--json'])
  const worker = project.sessions().find((id) => id.startsWith('worker'))
  expect(json()).toMatchObject([
    {
      id: lead,
      children: [{ id: worker }],
      agentRounds: [
        {
          roundId: 1,
          session: lead,
          agent: 'lead',
          toolCalls: [{ name: 'delegateWork', status: 'done', child: worker, content: expect.any(String) }],
          subAgentRounds: [
            {
              roundId: 1,
              session: worker,
              reply: 'I look.',
              toolCalls: [{ status: 'done' }, { name: 'read_file', status: 'failed' }],
              subAgentRounds: [],
            },
            { roundId: 2, session: worker },
          ],
        },
        { roundId: 2, reply: 'All is done.', toolCalls: [], subAgentRounds: [] },
      ],
    },
  ])
})

test('rounds of a continued session continue in the tree', async () => {
  const { project, lead } = await createRun()
  await project.cadre(['resume', lead, 'And now?'])
  const { json } = await project.cadre(['sessions', 'tree', '--json'])
  const [node] = json() as unknown as [{ agentRounds: { roundId: number; reply: string }[] }]
  expect(node.agentRounds.map(({ roundId, reply }) => [roundId, reply])).toEqual([
    [1, ''],
    [2, 'All is done.'],
    [3, 'You also said: And now?'],
  ])
})

test('accepts a unique id prefix', async () => {
  const { project, lead } = await createRun()
  await project.cadre(['run', '--agent', 'lead', '--no-subagents', '--model', 'scripted:p.yaml', 'x'])
  const both = await project.cadre(['sessions', 'show', 'lead-'])
  expect(both.stderr).toMatch(/^cadre: 2 sessions begin with "lead-": .*Enter more characters of the id\.\n$/)
  expect(both.code).toBe(2)
  const one = await project.cadre(['sessions', 'show', lead.slice(0, -1)])
  expect(one.stdout).toContain(lead)
  const near = await project.cadre(['sessions', 'show', `${lead}x`])
  expect(near.stderr).toContain(`Did you mean ${lead}`)
})

test('resume with a message continues the conversation', async () => {
  const { project, lead } = await createRun()
  const { json, code } = await project.cadre(['resume', lead, 'And now?', '--json'])
  expect(code).toBe(0)
  expect(json().at(-1)).toMatchObject({ session: lead, status: 'completed', text: 'You also said: And now?' })
})

test('reading sessions changes nothing', async () => {
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

test('a session file with a workspace elsewhere, possibly from a repository, needs a confirmation', async () => {
  const { project, lead } = await createRun()
  const elsewhere = createProject({ 'kept.txt': 'as it is' })
  const file = project.at('.cadre', 'sessions', `${lead}.session.yaml`)
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(project.path, elsewhere.path))
  for (const args of [
    ['resume', lead, 'Go on'],
    ['chat', '--resume', lead],
    ['chat', '--resume'],
  ]) {
    const { code, stderr, stdout } = await project.cadre(args, { input: 'Go on\n' })
    expect(`${stdout}${stderr}`).toContain(`works in ${elsewhere.path}`)
    expect(code).toBe(2)
  }
  const { code } = await project.cadre(['resume', '--trust', '--model', 'scripted:p.yaml', lead, 'Go on'])
  expect(code).toBe(0)
})

test('a session whose process was killed is shown as stopped, with the command that resumes it', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'p.yaml': { lanes: { lead: [{ calls: [delegate('worker')] }], worker: [{ hang: true }] } },
  })
  const running = project.start(['run', '--json', '--model', 'scripted:p.yaml', 'Do it.'])
  await running.until((stdout) => /"round.started".*"worker-/.test(stdout))
  const [lead = '', worker = ''] = project.sessions().sort()
  const listed = async () => {
    const { json } = await project.cadre(['sessions', 'list', '--json'])
    return (json()[0] as unknown as { id: string; status: string; stopped?: true }[]).map(
      ({ id, status, stopped }) => ({ id, status, stopped }),
    )
  }
  const doctor = async () => (await project.cadre(['doctor', '--model', 'scripted:p.yaml'])).stdout
  // While it runs, nothing is stopped.
  expect(await listed()).toEqual([
    { id: worker, status: 'active', stopped: undefined },
    { id: lead, status: 'active', stopped: undefined },
  ])
  expect((await project.cadre(['sessions', 'list'])).stdout).not.toContain('stopped')
  expect((await project.cadre(['sessions', 'tree'])).stdout).toContain('2 running')
  expect(await doctor()).not.toContain('stopped')

  running.child.kill('SIGKILL')
  await running.ended()
  expect(await listed()).toEqual([
    { id: worker, status: 'active', stopped: true },
    { id: lead, status: 'active', stopped: true },
  ])
  const resume = `cadre resume ${lead}`
  const { stdout: list } = await project.cadre(['sessions', 'list'])
  expect(list).toMatch(new RegExp(`^${lead} +lead +stopped `, 'm'))
  expect(list).toMatch(new RegExp(`^${worker} +worker +stopped `, 'm'))
  // Once for the tree: its other sessions continue with it.
  expect(list).toMatch(new RegExp(`Continue with:\\n  ${resume}\\n$`))
  const { stdout: tree } = await project.cadre(['sessions', 'tree'])
  expect(tree).toMatch(new RegExp(`^■ lead +${lead} +stopped`, 'm'))
  expect(tree).not.toContain('●')
  expect(tree).toMatch(new RegExp(`\\n2 sessions · 2 stopped · .*\\n.*Continue with: ${resume}\\n$`))
  const { stdout: shown } = await project.cadre(['sessions', 'show', worker])
  expect(shown).toMatch(new RegExp(`^status +stopped.* ${resume}$`, 'm'))
  const [{ session }] = (await project.cadre(['sessions', 'show', worker, '--json'])).json() as [
    { session: object },
  ]
  expect(session).toMatchObject({ status: 'active', stopped: true })
  const checked = await doctor()
  expect(checked).toContain(`1 run stopped, because the process ended: ${lead}`)
  expect(checked).toContain(resume)

  // A damaged file does not hide the others.
  const file = `.cadre/sessions/${lead}.session.yaml`
  const intact = project.read(file)
  project.write(file, intact.replace(/^messages:.*$/m, 'messages: ]'))
  expect((await listed()).find(({ id }) => id === lead)).toEqual({
    id: lead,
    status: 'active',
    stopped: undefined,
  })
  project.write(file, intact)

  project.write('p.yaml', { lanes: { lead: [{ reply: 'ok' }], worker: [report('done')] } })
  await project.cadre(['resume', lead])
  expect((await project.cadre(['sessions', 'list'])).stdout).not.toContain('stopped')
})
