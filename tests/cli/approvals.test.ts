import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, deployTool, type Project } from './support/project.ts'
import { hasScript, openTerminal } from './support/terminal.ts'
import { until } from './support/until.ts'

const test = sampled(3)

const deploys = deployTool['.cadre/deploy.mjs'].replace(
  'run: async () => ({',
  `run: async (input, { workspace }) => ((await import('node:fs')).appendFileSync(workspace + '/deployed.txt', 'deployed\\n'), {`,
)

function createTeam(input: object = { to: 'production' }): Project {
  return createProject({
    ...agentFile('lead'),
    ...deployTool,
    '.cadre/deploy.mjs': deploys,
    'p.yaml': {
      lanes: { lead: [{ calls: [{ tool: 'deploy', input }] }, { reply: 'It says: {{last}}' }] },
    },
  })
}

const run = ['run', '--trust', '--model', 'scripted:p.yaml', '--json', 'Deploy it.']

interface Listed {
  readonly id: string
  readonly session: string
  readonly status: string
}

async function listed(project: Project, ...flags: string[]): Promise<Listed[]> {
  const { stdout, code } = await project.cadre(['approvals', '--json', ...flags])
  expect(code).toBe(0)
  return JSON.parse(stdout) as Listed[]
}

async function waiting(project: Project): Promise<Listed> {
  const { code, json } = await project.cadre(run)
  expect(code).toBe(3)
  const [record] = await listed(project)
  expect(json().at(-1)).toMatchObject({ type: 'waiting', questions: [{ approval: record?.id }] })
  return record as Listed
}

const tasks = '.cadre/tasks/approvals.task.md'

test('a pending call is listed in full, approved by a part of its id, and done once the session is resumed', async () => {
  const project = createTeam()
  expect((await project.cadre(['approvals'])).stdout).toMatch(/^No pending approvals in /)
  const record = await waiting(project)
  expect(record).toEqual({
    id: expect.stringMatching(/^approval-\d{13}-[0-9a-f]{8}$/),
    session: project.sessions()[0],
    call: expect.any(String),
    agent: 'lead',
    type: 'deploy',
    action: '{"to":"production"}',
    risk: 'HIGH',
    reasons: expect.any(Array),
    created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    status: 'pending',
  })
  const shown = await project.cadre(['approvals'])
  expect(shown.stdout).toContain('Arguments: {"to":"production"}')
  expect(shown.stdout).toContain(`cadre approve ${record.id}`)
  const approved = await project.cadre(['approve', record.id.slice(-8)])
  expect(approved.stdout).toBe(`Approved ${record.id}. Resume with: cadre resume ${record.session}\n`)
  expect(approved.code).toBe(0)
  expect(project.exists('deployed.txt')).toBe(false)
  expect(await listed(project)).toEqual([])
  const tree = await project.cadre(['sessions', 'tree'])
  expect(tree.stdout).toContain('decided; the session continues when it is resumed')
  const resumed = await project.cadre(['resume', record.session, '--trust', '--json'])
  expect(resumed.code).toBe(0)
  expect(project.read('deployed.txt')).toBe('deployed\n')
  expect(await listed(project, '--all')).toMatchObject([
    { id: record.id, status: 'approved', decidedBy: 'tester' },
  ])
  expect(project.exists(`.cadre/approvals/approved/${record.id}.approval.md`)).toBe(true)
  expect(project.read(tasks)).toMatch(/- \[x\][\s\S]*approved_by: tester/)
})

test('a rejection reaches the agent with its reason; a second decision is told about the first', async () => {
  const project = createTeam()
  const { id, session } = await waiting(project)
  const rejected = await project.cadre(['reject', id, '--reason', 'Use staging.', '--json'])
  expect(rejected.json()).toMatchObject([
    { type: 'decided', id, decision: 'reject', by: 'tester', recorded: true },
  ])
  const again = await project.cadre(['approve', id])
  expect(again.stderr).toContain(`${id} was already rejected by tester. The first decision applies`)
  expect(again.code).toBe(2)
  expect((await project.cadre(['reject', id])).code).toBe(0)
  const resumed = await project.cadre(['resume', session, '--trust', '--json'])
  expect(resumed.json().at(-1)).toMatchObject({ text: 'It says: rejected by tester: Use staging.' })
  expect(project.exists('deployed.txt')).toBe(false)
  expect(project.read(tasks)).toMatch(/- \[-\][\s\S]*rejection_reason: Use staging\./)
})

const edits = () =>
  createProject({
    'a.txt': 'hello wrld\n',
    'p.yaml': {
      lanes: {
        assistant: [
          { calls: [{ tool: 'edit_file', input: { path: 'a.txt', old: 'wrld', new: 'world' } }] },
          { calls: [{ tool: 'write_file', input: { path: '../b.txt', content: 'x' } }] },
          { reply: 'Done.' },
        ],
      },
    },
  })

test('an approver sees the edit, and the session shows who decided and which rule denied it', async () => {
  const project = edits()
  const started = await project.cadre(['run', '--model', 'scripted:p.yaml', 'x'])
  const [record] = await listed(project)
  expect(started.stderr).toContain(`  cadre approve ${record!.id}\n`)
  // One way to decide is enough in the output.
  expect(started.stderr).not.toContain('sessions answer')
  const { stdout } = await project.cadre(['approvals'])
  expect(stdout).toContain('  Path: a.txt\n  Argument old: wrld\n  Argument new: world\n')
  await project.cadre(['approve', record!.id])
  expect((await project.cadre(['resume', record!.session])).code).toBe(0)
  const shown = (await project.cadre(['sessions', 'show', record!.session])).stdout
  expect(shown).toMatch(/! approval\/\S+: approve by tester\n/)
  expect(shown).toContain('← write_file ../b.txt refused by policy, paths.outside\n')
})

test('a decision that would permit more than an earlier one is reported, and permits nothing more', async () => {
  const project = edits()
  await project.cadre(['run', '--model', 'scripted:p.yaml', 'x'])
  const [record] = await listed(project)
  await project.cadre(['approve', record!.id])
  const session = await project.cadre(['approve', record!.id, '--session'])
  expect(session.stderr).toContain('was already approved once by tester. The first decision applies')
  const rule = await project.cadre(['approve', record!.id, '--rule', '--yes'])
  expect(rule.stderr).toContain('no rule was added')
  expect([session.code, rule.code]).toEqual([2, 2])
  // Repeating the same decision is not an error.
  expect((await project.cadre(['approve', record!.id])).code).toBe(0)
})

test('many calls in one reply wait together, and only questions are printed', async () => {
  const call = { tool: 'execute_command', input: { command: 'node -e 1' }, repeat: 12 }
  const project = createProject({ 'p.yaml': { lanes: { assistant: [{ calls: [call] }] } } })
  const { code, stderr } = await project.cadre(['run', '--json', '--model', 'scripted:p.yaml', 'x'])
  expect([code, stderr]).toEqual([3, ''])
  expect(await listed(project)).toHaveLength(12)
})

test.skipIf(!hasScript)('a question in the terminal shows everything once', async () => {
  const terminal = openTerminal(edits(), ['run', '--model', 'scripted:p.yaml', 'x'], { columns: 80 })
  await terminal.until((screen) => screen.includes('Enter to decide later'))
  const [, asked = ''] = terminal.screen().split('assistant wants to use edit_file')
  expect(asked.match(/wrld/g)).toHaveLength(1)
  expect(asked).toMatch(/Edit \S*a\.txt/)
  expect(asked).toContain('Rule: effects.write (policy)')
  expect(asked).toContain('3 reject [reason] · Enter')
  terminal.type('1\r')
  expect(await terminal.ended()).toBe(0)
})

test.skipIf(!hasScript)('a narrow terminal wraps lists between words', async () => {
  const project = createTeam()
  await waiting(project)
  const linesOf = async (...args: string[]) => {
    const terminal = openTerminal(project, args, { columns: 60, env: { NO_COLOR: '1' } })
    await terminal.ended()
    return terminal.screen().replaceAll('\r', '').split('\n')
  }
  const width = (line: string) => line.length
  expect(Math.max(...(await linesOf('status')).map(width))).toBeLessThanOrEqual(60)
  expect(width((await linesOf('approvals'))[0] ?? '')).toBeLessThanOrEqual(60)
  expect((await linesOf('agents')).join('\n')).toContain(' documentation-writer,\n  test-engineer (')
  expect((await linesOf('doctor')).join('\n')).toContain(
    `\n${' '.repeat(21)}Run "cadre setup" to choose one, or\n${' '.repeat(21)}"cadre login" for`,
  )
})

test('status lists pending approvals although no daemon has ever run, and no decided ones', async () => {
  const project = createTeam()
  const { id } = await waiting(project)
  const pending = (await project.cadre(['status'])).stdout
  expect(pending).toContain(`Pending approvals ("cadre approve ID", "cadre reject ID"):\n  ? ${id}  `)
  expect((await project.cadre(['status', '--json'])).json()).toMatchObject([
    { running: false, approvals: [{ id }] },
  ])
  await project.cadre(['approve', id])
  expect((await project.cadre(['status'])).stdout).not.toContain(id)
  expect((await project.cadre(['status', '--json'])).json()).toMatchObject([
    { running: false, approvals: [] },
  ])
})

test('status takes no decisions and changes no files, and list applies a decision in a file', async () => {
  const project = createTeam()
  const { id, session } = await waiting(project)
  const form = `.cadre/approvals/pending/${id}.approval.md`
  const text = project.read(tasks).replace('- [_]', '- [x]')
  project.write(tasks, text)
  rmSync(project.at(form))
  const journal = project.read(`.cadre/sessions/${session}.session.yaml`)
  const { stdout, stderr } = await project.cadre(['status'])
  expect(stdout).toContain(`? ${id}  `)
  expect(stderr).toBe('')
  expect(project.read(tasks)).toBe(text)
  expect(project.read(`.cadre/sessions/${session}.session.yaml`)).toBe(journal)
  expect(project.exists(form)).toBe(false)
  expect((await project.cadre(['approvals'])).stderr).toContain(`${id} was approved by tester.`)
})

test('status shows its other facts if it cannot read the approvals', async () => {
  const project = createTeam()
  await waiting(project)
  rmSync(project.at('.cadre/sessions'), { recursive: true })
  project.write('.cadre/sessions', '')
  const { code, stdout } = await project.cadre(['status'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^No daemon is running on /)
  expect(stdout).toContain('  approvals: ')
  const [status] = (await project.cadre(['status', '--json'])).json()
  expect(status).toMatchObject({ running: false })
  expect(status).not.toHaveProperty('approvals')
})

test('resume and list apply a decision in a file', async () => {
  const project = createTeam()
  const { session } = await waiting(project)
  project.write(tasks, project.read(tasks).replace('- [_]', '- [x]'))
  expect((await project.cadre(['resume', session, '--trust', '--json'])).code).toBe(0)
  expect(project.read('deployed.txt')).toBe('deployed\n')
  const other = await waiting(project)
  const file = `.cadre/approvals/pending/${other.id}.approval.md`
  project.write(file, project.read(file).replace(/\*\*Decision:\*\*.*/, 'decision: rejected'))
  const list = await project.cadre(['approvals'])
  expect(list.stderr).toContain(
    `${other.id} was rejected by tester. Continue with: cadre resume ${other.session}`,
  )
  expect(project.exists(`.cadre/approvals/rejected/${other.id}.approval.md`)).toBe(true)
  await project.cadre(['resume', other.session, '--trust', '--json'])
  expect(project.read('deployed.txt')).toBe('deployed\n')
})

test('an answer by the older command is also in the files', async () => {
  const project = createTeam()
  const { id, session } = await waiting(project)
  const question = /question: (\S+)/.exec(project.read(tasks))?.[1] ?? ''
  await project.cadre(['sessions', 'answer', session, question, 'approve'])
  expect(project.read(tasks)).toMatch(/- \[x\][\s\S]*approved_by: tester/)
  expect(project.exists(`.cadre/approvals/approved/${id}.approval.md`)).toBe(true)
})

test('reports an invalid id, with the pending approvals', async () => {
  const project = createTeam()
  const none = await project.cadre(['approve', 'approval-1'])
  expect(none.stderr).toContain('there is no approval "approval-1"')
  expect(none.stderr).toContain('. No approvals are pending.')
  expect(none.code).toBe(2)
  const { id } = await waiting(project)
  expect((await project.cadre(['approve', 'zzz'])).stderr).toContain(`. Pending: ${id}.`)
  await waiting(project).catch(() => undefined)
  const both = await project.cadre(['approve', 'approval-'])
  expect(both.stderr).toContain('2 approvals match "approval-"')
  expect(both.code).toBe(2)
  const session = await project.cadre(['approve', id, '--session'])
  expect(session.stderr).toContain('cannot be approved for the session')
  expect((await project.cadre(['approve', id, '--session', '--rule'])).code).toBe(2)
  const rule = await project.cadre(['approve', id, '--rule', '--yes'])
  expect(rule.stderr).toContain('rules only for simple commands')
  expect(rule.code).toBe(2)
  expect(await listed(project)).toHaveLength(2)
})

test('agent text cannot control the terminal', async () => {
  const project = createTeam({ to: '\u001b[2J\u202eprod\n- [x] A @human' })
  await waiting(project)
  const { stdout } = await project.cadre(['approvals'])
  for (const sign of ['\u001b', '\u202e']) expect(stdout).not.toContain(sign)
  expect(stdout).toContain('\\u202e')
})

test.skipIf(!hasScript)(
  'a question is shown in a terminal and in the files; the first decision applies',
  async () => {
    const project = createTeam()
    const terminal = openTerminal(project, ['run', '--trust', '--model', 'scripted:p.yaml', 'Deploy it.'], {
      columns: 120,
    })
    await terminal.until((screen) => screen.includes('1 approve · 2 reject'))
    const [name = ''] = readdirSync(project.at('.cadre/approvals/pending'))
    const id = name.replace('.approval.md', '')
    // Another process cannot record the decision, so it writes it to the form for the process that runs the session.
    const approved = await project.cadre(['approve', id])
    expect(approved.stdout).toContain('The process that runs the session applies the decision')
    expect(await terminal.ended()).toBe(0)
    expect(project.read('deployed.txt')).toBe('deployed\n')
    expect(terminal.screen()).toContain('It says: it is live')
  },
)

test.skipIf(!hasScript)('editing a file also decides a question in a terminal', async () => {
  const project = createTeam()
  const terminal = openTerminal(project, ['run', '--trust', '--model', 'scripted:p.yaml', 'Deploy it.'], {
    columns: 120,
  })
  await terminal.until((screen) => screen.includes('1 approve · 2 reject'))
  await until(() => project.exists(tasks))
  writeFileSync(
    project.at(tasks),
    readFileSync(project.at(tasks), 'utf8')
      .replace('- [_]', '- [-]')
      .replace('  status:', '  rejection_reason: not now\n  status:'),
  )
  expect(await terminal.ended()).toBe(0)
  expect(terminal.screen()).toContain('rejected by tester: not now')
  expect(project.exists('deployed.txt')).toBe(false)
})

test('with --no-human, calls that need a person are denied with that reason, even pending ones', async () => {
  const project = createTeam()
  const alone = await project.cadre([...run.slice(0, -1), '--no-human', 'Deploy it.'])
  expect(alone.code).toBe(0)
  expect(alone.json().at(-1)).toMatchObject({
    text: expect.stringMatching(/no person is available \(--no-human\)/),
  })
  const record = await waiting(project)
  const resume = ['resume', '--trust', '--no-human', '--model', 'scripted:p.yaml', '--json', record.session]
  const later = await project.cadre(resume)
  expect(later.json().at(-1)).toMatchObject({
    status: 'completed',
    text: expect.stringMatching(/rejected by cadre: no person is available \(--no-human\)/),
  })
  expect(readdirSync(project.at(''))).not.toContain('deployed.txt')
  expect((await listed(project, '--all'))[0]).toMatchObject({ id: record.id, status: 'rejected' })
})
