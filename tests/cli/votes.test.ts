import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { currentUser } from '@cadre/disk'
import { describe, expect, test } from 'vitest'
import { agentFile, createProject, deployTool, type Project } from './support/project.ts'

const me = currentUser()

function createTeam(approvals: object): Project {
  return createProject({
    ...agentFile('lead'),
    ...deployTool,
    '.cadre/storage/policy.yaml': { approvals },
    'p.yaml': {
      lanes: {
        lead: [{ calls: [{ tool: 'deploy', input: { to: 'production' } }] }, { reply: 'It says: {{last}}' }],
      },
    },
  })
}

const run = ['run', '--trust', '--model', 'scripted:p.yaml', '--json', 'Deploy it.']

async function people(project: Project, ...lines: readonly string[][]): Promise<void> {
  for (const line of lines)
    expect(await project.cadre(['people', 'add', '--trust', ...line])).toMatchObject({ code: 0 })
}

async function pendingId(project: Project): Promise<string> {
  expect((await project.cadre(run)).code).toBe(3)
  const { json } = await project.cadre(['approvals', '--trust', '--json'])
  const [[record]] = json() as unknown as [[{ id: string }]]
  return record.id
}

test('one vote of two counts and waits; the starter of the run is recorded', async () => {
  const project = createTeam({ quorum: 2, roles: ['approver'] })
  await people(project, ['ann', '--role', 'approver', '--system', me], ['bob', '--role', 'approver'])
  const id = await pendingId(project)
  const listed = await project.cadre(['approvals', '--trust'])
  expect(listed.stdout).toContain('approvals 0 of 2')
  expect(listed.stdout).toContain('needs 2 approvals from people with the role approver')
  const approved = await project.cadre(['approve', id, '--trust'], { env: { USER: 'bob' } })
  expect(approved).toMatchObject({ code: 0, stdout: 'Recorded your approval: 1 of 2. Waiting for 1 more.\n' })
  // The same user again, under another name: still one vote.
  const again = await project.cadre(['approve', id, '--trust', '--json'], { env: { USER: 'carol' } })
  expect(again.json()).toMatchObject([
    {
      type: 'voted',
      id,
      decision: 'approve',
      by: 'ann',
      recorded: true,
      needed: { quorum: 2, roles: ['approver'], notByStarter: false },
      votes: [{ by: 'ann', via: 'command', decision: 'approve', at: expect.any(String) }],
    },
  ])
  expect((await project.cadre(['approvals', '--trust'])).stdout).toContain('approvals 1 of 2: ann')
  expect((await project.cadre(['approve', id, '--trust', '--session'])).stderr).toContain(
    'needs several people',
  )
  const session = readFileSync(
    project.at('.cadre', 'sessions', `${project.sessions()[0]}.session.yaml`),
    'utf8',
  )
  expect(session).toContain(`started_by: ${me}\n`)
  expect(await project.cadre(['reject', id, '--trust', '--reason', 'not today'])).toMatchObject({ code: 0 })
  const resumed = await project.cadre([
    'resume',
    project.sessions()[0] ?? '',
    '--trust',
    '--model',
    'scripted:p.yaml',
  ])
  expect(resumed.stdout).toContain('rejected by ann: not today')
})

test('the person who started the run cannot approve, and learns why', async () => {
  const project = createTeam([{ effect: 'execute', notByStarter: true }])
  const id = await pendingId(project)
  const refused = await project.cadre(['approve', id, '--trust'])
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain(
    `${me} started or influenced this run, and the policy requires other people's approval.`,
  )
})

test('explain shows how many approvals a call needs, and from whom', async () => {
  const project = createTeam([
    { effect: 'write', quorum: 2, roles: ['approver'] },
    { path: 'migrations/**', quorum: 3, notByStarter: true },
    { effect: 'outbound', quorum: 9 },
  ])
  const explain = async (path: string, ...flags: string[]) => {
    const input = JSON.stringify({ path, content: 'x' })
    return project.cadre(['policy', 'explain', '--trust', '--tool', 'write_file', '--input', input, ...flags])
  }
  expect((await explain('a.txt', '--json')).json()).toMatchObject([
    { decision: 'ask', approvals: { quorum: 2, roles: ['approver'], notByStarter: false } },
  ])
  expect((await explain('migrations/1.sql', '--json')).json()).toMatchObject([
    { approvals: { quorum: 3, roles: ['approver'], notByStarter: true } },
  ])
  expect((await explain('migrations/1.sql')).stdout).toContain(
    'needs     3 approvals from people with the role approver, but not from people who influenced the run',
  )
  // It only raises: a call that needs no approval still needs none.
  const read = await project.cadre([
    'policy',
    'explain',
    '--trust',
    '--json',
    '--tool',
    'read_file',
    '--input',
    '{"path":"a"}',
  ])
  expect(read.json()).toMatchObject([{ decision: 'allow' }])
  expect(read.json()[0]).not.toHaveProperty('approvals')
})

describe('people', () => {
  test('are added with a token that is shown once, listed without it, and removed', async () => {
    const project = createProject(agentFile('lead'))
    const none = await project.cadre(['people', '--json'])
    expect(none.json()).toEqual([
      {
        people: [{ name: me, roles: ['viewer', 'operator', 'approver', 'admin'], system: me, token: false }],
        configured: false,
      },
    ])
    const added = await project.cadre([
      'people',
      'add',
      'ann',
      '--role',
      'approver',
      '--slack',
      'U1',
      '--json',
    ])
    const [{ token }] = added.json() as unknown as [{ token: string }]
    expect(token).toMatch(/^cadre_[\w-]{43}$/)
    const file = project.at('.cadre', 'storage', 'people.yaml')
    expect(readFileSync(file, 'utf8')).not.toContain(token)
    expect(readFileSync(file, 'utf8')).toMatch(/tokenHash: '?[0-9a-f]{64}/)
    const listed = await project.cadre(['people', 'list'])
    expect(listed.stdout).toBe('ann  approver · Slack user U1 · token\n')
    for (const line of [
      ['ann', '--role', 'viewer'],
      ['Ann', '--role', 'viewer'],
      ['ben', '--role', 'viewer', '--slack', 'U1'],
      ['../x', '--role', 'viewer'],
      ['ben', '--role', 'king'],
    ])
      expect((await project.cadre(['people', 'add', ...line])).code, line.join(' ')).toBe(2)
    const incomplete = await project.cadre(['people', 'add', 'ben'])
    expect([incomplete.code, incomplete.stderr]).toEqual([
      2,
      expect.stringContaining(
        '--role is missing. Add at least one role for ben: --role viewer, --role operator, --role approver, --role admin.',
      ),
    ])
    expect((await project.cadre(['people', 'remove', 'ben'])).code).toBe(2)
    expect(await project.cadre(['people', 'remove', 'ann'])).toMatchObject({
      code: 0,
      stdout: 'Removed ann. Nobody is left, so the owner of the home directory has all roles again.\n',
    })
  })

  test('cannot be changed from the command of an agent', async () => {
    const project = createProject(agentFile('lead'))
    await project.cadre(['people', 'add', 'ann', '--role', 'approver'])
    const file = project.at('.cadre', 'storage', 'people.yaml')
    const before = readFileSync(file, 'utf8')
    const home = createHash('sha256')
      .update(realpathSync(project.at('.cadre')))
      .digest('hex')
      .slice(0, 16)
    const env = { CADRE_COMMAND: `${'0'.repeat(32)}.${home}` }
    for (const line of [
      ['add', 'eve', '--role', 'admin'],
      ['remove', 'ann'],
    ])
      expect((await project.cadre(['people', ...line], { env })).code).toBe(4)
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test('a mistake in the file is reported with its line', async () => {
    const project = createProject(agentFile('lead'))
    await project.cadre(['people', 'add', 'ann', '--role', 'approver'])
    writeFileSync(
      project.at('.cadre', 'storage', 'people.yaml'),
      'people:\n  - { name: ann, roles: [approver], system: x }\n  - { name: ben, roles: [approver], system: X }\n',
    )
    const listed = await project.cadre(['people', 'list'])
    expect(listed.code).toBe(2)
    expect(listed.stderr).toContain('people.yaml:3: Two people have the same system. Remove one of them.')
  })
})
