import { expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, delegate, type Project, report } from './support/project.ts'
import { until } from './support/until.ts'

const test = sampled(3)

// A custom tool with an external effect: it appends a line, and can be told to hang.
const tool = `
import { appendFileSync, existsSync } from 'node:fs'
import path from 'node:path'
export const deploy = {
  name: 'deploy',
  description: 'Deploys',
  class: 'execute',
  effect: 'execute',
  input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  parameters: { type: 'object', properties: {} },
  async run(input, { workspace }) {
    appendFileSync(path.join(workspace, 'deployed.txt'), 'deployed\\n')
    if (existsSync(path.join(workspace, 'hang'))) await new Promise((resolve) => setInterval(resolve, 2 ** 30))
    return { content: 'deployed' }
  },
}
`

function createTeam(): Project {
  return createProject({
    ...agentFile('lead'),
    ...agentFile('operator'),
    '.cadre/deploy.mjs': tool,
    '.cadre/config.yaml': { tools: ['deploy.mjs'] },
    'p.yaml': {
      lanes: {
        lead: [{ calls: [delegate('operator')] }, { reply: 'The operator says: {{last}}' }],
        operator: [
          { calls: [{ tool: 'deploy', input: { to: 'production' } }] },
          {
            choose: [
              { when: { last: 'rejected' }, ...report('It was rejected.') },
              report('It is deployed.'),
            ],
          },
        ],
      },
    },
  })
}

const run = ['run', '--trust', '--json', '--model', 'scripted:p.yaml', 'Deploy it.']

interface Waiting {
  readonly session: string
  readonly questions: readonly {
    session: string
    name: string
    approval: string
    choices: string[]
    text: string
  }[]
}

test('a call that needs a decision waits with code 3, is answered by a command, and continues', async () => {
  const project = createTeam()
  const { code, json } = await project.cadre(run)
  expect(code).toBe(3)
  const waiting = json().at(-1) as unknown as Waiting
  expect(waiting).toMatchObject({ type: 'waiting', questions: [{ choices: ['approve', 'reject'] }] })
  const [question] = waiting.questions
  expect(question?.session).toMatch(/^operator-/)
  expect(question?.text).toContain('deploy')
  expect(project.exists('deployed.txt')).toBe(false)

  const early = await project.cadre(['resume', waiting.session, '--trust'])
  expect(early.code).toBe(3)
  expect(early.stderr).toContain(`cadre approve ${question!.approval} --trust\n`)
  expect(early.stderr).toContain(`cadre reject ${question!.approval} --reason`)
  // The run keeps its flags, so they are not repeated.
  expect(early.stderr).toContain(`cadre resume ${waiting.session}\n`)

  const wrong = await project.cadre(['sessions', 'answer', question!.session, question!.name, 'aprove'])
  expect(wrong.stderr).toContain('Did you mean approve?')
  expect(wrong.code).toBe(2)
  const answer = await project.cadre(['sessions', 'answer', question!.session, question!.name, 'approve'])
  expect(answer.stdout).toContain(`cadre resume ${waiting.session}`)
  expect(answer.code).toBe(0)
  expect(project.exists('deployed.txt')).toBe(false)

  const resumed = await project.cadre(['resume', waiting.session, '--trust', '--json'])
  expect(resumed.json().at(-1)).toMatchObject({
    status: 'completed',
    text: expect.stringContaining('It is deployed.'),
  })
  expect(resumed.code).toBe(0)
  expect(project.read('deployed.txt')).toBe('deployed\n')
})

test('a rejection reaches the agent with its reason, and nothing is done', async () => {
  const project = createTeam()
  const waiting = (await project.cadre(run)).json().at(-1) as unknown as Waiting
  const [question] = waiting.questions
  // The id of the run is enough if the question is unique in it.
  const answer = await project.cadre([
    'sessions',
    'answer',
    waiting.session,
    question!.name,
    'reject',
    '--reason',
    'Not today.',
    '--json',
  ])
  expect(answer.json()).toMatchObject([{ type: 'answered', session: question!.session, decision: 'reject' }])
  const resumed = await project.cadre(['resume', waiting.session, '--trust', '--json'])
  const settled = resumed.json().find(({ type, outcome }) => type === 'call.settled' && outcome === 'refused')
  expect(settled?.['content']).toBe('rejected by tester: Not today.')
  expect(resumed.json().at(-1)).toMatchObject({ text: expect.stringContaining('It was rejected.') })
  expect(project.exists('deployed.txt')).toBe(false)
})

test('an effect that may have happened is never repeated without a person', async () => {
  const project = createTeam()
  const waiting = (await project.cadre(run)).json().at(-1) as unknown as Waiting
  const [question] = waiting.questions
  await project.cadre(['sessions', 'answer', question!.session, question!.name, 'approve'])
  project.write('hang', '')
  const running = project.start(['resume', waiting.session, '--trust', '--json'])
  // The file is empty until the tool has appended its line.
  await until(() => project.exists('deployed.txt') && project.read('deployed.txt') !== '')
  running.child.kill('SIGKILL')
  await running.ended()
  const doubtful = await project.cadre(['resume', waiting.session, '--trust', '--json'])
  expect(doubtful.code).toBe(3)
  const doubt = (doubtful.json().at(-1) as unknown as Waiting).questions[0]
  expect(doubt).toMatchObject({ session: question!.session, choices: ['done', 'again', 'leave'] })
  await project.cadre(['sessions', 'answer', doubt!.session, doubt!.name, 'done'])
  const resumed = await project.cadre(['resume', waiting.session, '--trust', '--json'])
  expect(resumed.json().at(-1)).toMatchObject({ status: 'completed' })
  expect(project.read('deployed.txt')).toBe('deployed\n')
})

test('a call in doubt is listed with the approvals, and approve and reject answer it', async () => {
  const project = createTeam()
  const waiting = (await project.cadre(run)).json().at(-1) as unknown as Waiting
  await project.cadre(['approve', waiting.questions[0]!.approval])
  project.write('hang', '')
  /** Runs it until the effect has happened, then kills the process. */
  const interrupt = async (count: number) => {
    const running = project.start(['resume', waiting.session, '--trust', '--json'])
    await until(
      () => project.exists('deployed.txt') && project.read('deployed.txt') === 'deployed\n'.repeat(count),
    )
    running.child.kill('SIGKILL')
    await running.ended()
    return project.cadre(['resume', waiting.session, '--trust'])
  }
  const doubtful = await interrupt(1)
  expect(doubtful.code).toBe(3)
  const listed = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as { id: string }[]
  expect(listed).toMatchObject([{ type: 'in_doubt', action: '{"to":"production"}' }])
  const [first] = listed
  for (const command of [
    `cadre approve ${first!.id}`,
    `cadre approve ${first!.id} --done`,
    `cadre reject ${first!.id}`,
  ]) {
    expect(doubtful.stderr).toContain(`  ${command}`)
    expect((await project.cadre(['approvals'])).stdout).toContain(command)
  }
  expect(project.read('.cadre/tasks/approvals.task.md')).toContain(`cadre approve ${first!.id} --done`)

  // If approved, it runs again; if interrupted again, it needs a decision again.
  expect((await project.cadre(['approve', first!.id])).stdout).toContain(`Will run again: ${first!.id}.`)
  expect((await project.cadre(['approve', first!.id, '--done'])).code).toBe(2)
  await interrupt(2)
  const [second] = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as { id: string }[]
  expect(second?.id).not.toBe(first!.id)
  expect((await project.cadre(['approve', second!.id, '--done'])).stdout).toContain('Recorded as done')
  const resumed = await project.cadre(['resume', waiting.session, '--trust', '--json'])
  expect(resumed.json().at(-1)).toMatchObject({ status: 'completed' })
  expect(project.read('deployed.txt')).toBe('deployed\n'.repeat(2))
})

test('--done is accepted only for an interrupted call', async () => {
  const project = createTeam()
  const waiting = (await project.cadre(run)).json().at(-1) as unknown as Waiting
  const { code, stderr } = await project.cadre(['approve', waiting.questions[0]!.approval, '--done'])
  expect(stderr).toContain('Use --done only for interrupted calls')
  expect(code).toBe(2)
})

test('reports an unknown question, with the open ones', async () => {
  const project = createTeam()
  const waiting = (await project.cadre(run)).json().at(-1) as unknown as Waiting
  const wrong = await project.cadre(['sessions', 'answer', waiting.session, 'approval/x', 'approve'])
  expect(wrong.stderr).toContain(waiting.questions[0]!.name)
  expect(wrong.code).toBe(2)
})

test('files of an untrusted folder are not used, and a notice explains it', async () => {
  const project = createTeam()
  const { stderr, code } = await project.cadre(
    run.filter((word) => word !== '--trust'),
    { isForeign: true },
  )
  expect(stderr).toMatch(
    /this folder is not trusted: .*agents are read-only\.\n\s+\S+\.cadre contains 2 agent templates, config\.yaml \(tools\), not created by you on this machine\n\s+\S+config\.yaml:\d+ runs code from the repository/,
  )
  expect(code).not.toBe(3)
  expect(project.exists('deployed.txt')).toBe(false)
})
