import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { currentUser } from '@cadre/disk'
import { type ApprovalRecord, approvalJson, type Voter } from '@cadre/gate'
import { markUnsandboxedCommand, recordRequesters } from '@cadre/home'
import { call, say } from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { createApprovalForms } from '../../packages/gate/src/approvals/approval-forms.ts'
import { openWorld, type World, type WorldOptions } from './approvals-world.ts'

const lanes = { lead: [call(['launch', { command: 'docker ps' }]), say('done')] }
const two = [{ quorum: 2 }]

const page = (name: string, ...roles: Voter['roles']): Voter => ({
  name,
  roles: roles.length === 0 ? ['approver'] : roles,
  via: 'page',
})

/** A run that waits for approvals. Ann is the system user of this test, Bob has a Slack user, and Carol only looks. */
async function openVote(options: WorldOptions = {}): Promise<{ world: World; record: ApprovalRecord }> {
  const world = await openWorld(lanes, { approvals: two, startedBy: 'nobody-here', ...options })
  writeFileSync(
    `${world.home.folder('storage')}/people.yaml`,
    `people:
  - { name: ann, roles: [approver], system: "${currentUser()}" }
  - { name: bob, roles: [operator, approver], slack: U2 }
  - { name: carol, roles: [viewer], slack: U3 }
`,
    { mode: 0o600 },
  )
  expect(await world.start()).toMatchObject({ kind: 'waiting' })
  const [record] = await world.approvals.list()
  return { world, record: record! }
}

async function entriesOf(world: World, type: string) {
  const { entries = [] } = (await world.engine.read('lead-1')) ?? {}
  return entries.flatMap((entry) => (entry.role === 'event' && entry.type === type ? [entry] : []))
}

function mark(world: World, marker: string): void {
  world.writeTasks(world.tasks().replace('- [_]', `- [${marker}]`))
}

function decideInFile(world: World, id: string, word: string): void {
  const file = world.file('pending', id)
  writeFileSync(file, readFileSync(file, 'utf8').replace('**Decision:**', `**Decision:** ${word}`))
}

test('two people approve through different channels, and the call runs once', async () => {
  const { world, record } = await openVote()
  expect(record.need).toEqual({ quorum: 2, roles: ['approver', 'admin'], notByStarter: false })
  mark(world, 'x')
  const [counted] = await world.approvals.list()
  expect(counted).toMatchObject({
    status: 'pending',
    votes: [{ by: 'ann', via: 'file', decision: 'approve' }],
  })
  expect(world.tasks()).toMatch(/- \[_\] A @human[\s\S]*votes: 1 of 2: ann\n/)
  expect(readFileSync(world.file('pending', record.id), 'utf8')).toContain('\nvotes: 1 of 2: ann\n')
  expect(await world.resume()).toMatchObject({ kind: 'waiting' })
  expect(await world.approvals.decide(counted!, { decision: 'approve' }, page('bob'))).toMatchObject({
    kind: 'recorded',
    answer: { decision: 'approve', by: 'ann, bob' },
  })
  expect(await world.resume()).toMatchObject({ kind: 'report', report: { status: 'completed' } })
  expect(world.done).toEqual(['launch docker ps'])
  expect(await entriesOf(world, 'person.voted')).toMatchObject([
    { by: 'ann', via: 'file', decision: 'approve', name: record.question },
    { by: 'bob', via: 'page', decision: 'approve', name: record.question },
  ])
  expect(await entriesOf(world, 'person.answered')).toMatchObject([
    {
      decision: 'approve',
      by: 'ann, bob',
      votes: [
        { by: 'ann', via: 'file' },
        { by: 'bob', via: 'page' },
      ],
    },
  ])
  expect(world.files('approved')).toEqual([`${record.id}.approval.md`])
  expect(readdirSync(world.home.at('approvals', 'votes'))).toEqual([])
  const [all] = await world.approvals.list({ all: true })
  expect(approvalJson(all!)).toMatchObject({
    needed: { quorum: 2, roles: ['approver', 'admin'], notByStarter: false },
    votes: [{ by: 'ann' }, { by: 'bob' }],
    decidedBy: 'ann, bob',
  })
  await world.close()
})

test('a user who writes both forms and runs the command counts once', async () => {
  const { world, record } = await openVote()
  mark(world, 'x')
  decideInFile(world, record.id, 'APPROVED')
  await world.approvals.list()
  const mine = world.approvals.voters.here('command')
  expect(mine).toEqual({ name: 'ann', roles: ['approver'], via: 'command' })
  for (const voter of [mine, world.approvals.voters.here('terminal'), page('ann')]) {
    const decided = await world.approvals.decide(record, { decision: 'approve', by: 'bob' }, voter)
    expect(decided).toMatchObject({ kind: 'voted', record: { votes: [{ by: 'ann' }] } })
  }
  // Text in the form identifies nobody.
  world.writeTasks(
    world.tasks().replace('- [_]', '- [x]').replace('  status:', '  approved_by: bob\n  status:'),
  )
  expect(await world.approvals.list()).toMatchObject([{ status: 'pending', votes: [{ by: 'ann' }] }])
  expect(await entriesOf(world, 'person.voted')).toHaveLength(1)
  await world.close()
})

test('the vote of a person who is removed, or loses the role, no longer counts', async () => {
  const { world, record } = await openVote()
  const file = world.home.at('storage', 'people.yaml')
  const all = readFileSync(file, 'utf8')
  const approve = (name: string) => world.approvals.decide(record, { decision: 'approve' }, page(name))
  expect(await approve('bob')).toMatchObject({ kind: 'voted', record: { votes: [{ by: 'bob' }] } })
  writeFileSync(file, all.replace('[operator, approver]', '[operator]'))
  expect(await world.approvals.list()).toMatchObject([{ status: 'pending', votes: [] }])
  expect(await approve('ann')).toMatchObject({ kind: 'voted', record: { votes: [{ by: 'ann' }] } })
  expect(await world.resume()).toMatchObject({ kind: 'waiting' })
  writeFileSync(file, all.replace(/.*name: bob.*\n/, ''))
  expect(await approve('ann')).toMatchObject({ kind: 'voted' })
  writeFileSync(file, all)
  expect(await approve('bob')).toMatchObject({ kind: 'recorded', answer: { by: 'ann, bob' } })
  expect(await entriesOf(world, 'person.voted')).toMatchObject([
    { by: 'bob' },
    { by: 'ann', without: ['bob'] },
    { by: 'bob' },
  ])
  await world.close()
})

test('a person who gets another name between two votes counts once', async () => {
  const { world, record } = await openVote()
  const people = (text: string) =>
    writeFileSync(world.home.at('storage', 'people.yaml'), `people: [${text}]\n`)
  people('')
  const first = await world.approvals.decide(
    record,
    { decision: 'approve' },
    world.approvals.voters.here('command'),
  )
  expect(first).toMatchObject({ kind: 'voted', record: { votes: [{ by: currentUser() }] } })
  people(`{ name: ann, roles: [approver], system: "${currentUser()}" }`)
  const second = await world.approvals.decide(
    first.record,
    { decision: 'approve' },
    world.approvals.voters.here('command'),
  )
  expect(second).toMatchObject({ kind: 'voted', record: { votes: [{ by: currentUser() }] } })
  mark(world, 'x')
  expect(await world.approvals.list()).toMatchObject([{ status: 'pending' }])
  await world.close()
})

test('one rejection decides, also after an approval by the same person', async () => {
  const { world, record } = await openVote({ approvals: [{ quorum: 3 }] })
  await world.approvals.decide(record, { decision: 'approve' }, page('bob'))
  await world.approvals.decide(record, { decision: 'approve' }, page('ann'))
  expect(
    await world.approvals.decide(record, { decision: 'reject', reason: 'not today' }, page('bob')),
  ).toMatchObject({ kind: 'recorded', answer: { decision: 'reject', by: 'bob' } })
  expect(await world.resume()).toMatchObject({ kind: 'report' })
  expect(world.done).toEqual([])
  const { entries = [] } = (await world.engine.read('lead-1')) ?? {}
  expect(entries).toContainEqual(expect.objectContaining({ content: 'rejected by bob: not today' }))
  await world.close()
})

describe('who does not count', () => {
  test.each<[string, Voter, RegExp]>([
    [
      'a viewer',
      page('carol', 'viewer'),
      /carol has only the role viewer, and the policy requires 2 approvals/,
    ],
    ['someone without a role', page('dave', 'operator'), /dave has only the role operator/],
    [
      'an unknown Slack user',
      { name: 'slack:U9', roles: [], via: 'slack' },
      /slack:U9 has no role in this home/,
    ],
  ])('%s', async (_, voter, reason) => {
    const { world, record } = await openVote()
    await expect(world.approvals.decide(record, { decision: 'approve' }, voter)).rejects.toThrow(reason)
    await expect(world.approvals.decide(record, { decision: 'reject' }, voter)).rejects.toThrow(reason)
    expect(await entriesOf(world, 'person.voted')).toEqual([])
    await world.close()
  })

  test.each([
    ['by name', 'bob'],
    ['by the Slack user', 'slack:U2'],
  ])('the person who started the run, recorded %s', async (_, startedBy) => {
    const { world, record } = await openVote({ approvals: [{ quorum: 1, notByStarter: true }], startedBy })
    await expect(
      world.approvals.decide(record, { decision: 'approve' }, world.approvals.voters.ofSlack('U2')),
    ).rejects.toThrow('bob started or influenced this run')
    expect(await world.approvals.decide(record, { decision: 'approve' }, page('ann'))).toMatchObject({
      kind: 'recorded',
    })
    await world.close()
  })

  test('anyone, while Cadre cannot read who influenced the run', async () => {
    const { world, record } = await openVote({ approvals: [{ quorum: 1, notByStarter: true }] })
    recordRequesters(world.home, 'session', 'lead-1', ['bob'])
    const [name = ''] = readdirSync(world.home.at('storage', 'givers'))
    writeFileSync(world.home.at('storage', 'givers', name), '{ broken')
    await expect(world.approvals.decide(record, { decision: 'approve' }, page('ann'))).rejects.toThrow(
      'Cadre cannot read all files that name them',
    )
    expect(await entriesOf(world, 'person.voted')).toEqual([])
    await world.close()
  })

  test('the starter in a form: the form gives the reason, and is open again', async () => {
    const { world } = await openVote({
      approvals: [{ quorum: 1, notByStarter: true }],
      startedBy: currentUser(),
    })
    mark(world, 'x')
    expect(await world.approvals.list()).toMatchObject([{ status: 'pending', votes: [] }])
    expect(world.tasks()).toMatch(
      /- \[_\][\s\S]*note: this decision does not count: ann started or influenced this run/,
    )
    expect(world.messages.join()).toContain('does not count: ann started or influenced this run')
    await world.close()
  })

  test('anyone, while people.yaml has a mistake', async () => {
    const { world, record } = await openVote()
    writeFileSync(world.home.at('storage', 'people.yaml'), 'people:\n  - { name: ann, roles: [king] }\n')
    mark(world, 'x')
    expect(await world.approvals.list()).toMatchObject([{ status: 'pending', votes: [] }])
    await expect(
      world.approvals.decide(record, { decision: 'approve' }, world.approvals.voters.here('command')),
    ).rejects.toThrow('has no role in this home')
    expect(world.messages.join()).toContain('The roles of ann must be a list of')
    await world.close()
  })

  test('the author of a file that others may change', async () => {
    const { world } = await openVote()
    mark(world, 'x')
    chmodSync(world.home.at('tasks', 'approvals.task.md'), 0o666)
    expect(await world.approvals.list()).toMatchObject([{ status: 'pending', votes: [] }])
    expect(world.messages.join()).toContain('Cadre cannot tell who wrote the decision')
    await world.close()
  })
})

test('the engine takes no answer past the checks', async () => {
  const { world, record } = await openVote()
  // The command `sessions answer` is a vote of the system user, whatever name it brings.
  expect(
    await world.engine.answer('lead-1', record.question, { decision: 'approve', by: 'bob' }),
  ).toBeUndefined()
  expect(
    await world.engine.answer('lead-1', record.question, { decision: 'approve', by: 'eve' }),
  ).toBeUndefined()
  expect(await entriesOf(world, 'person.voted')).toMatchObject([{ by: 'ann' }])
  expect(await entriesOf(world, 'person.answered')).toEqual([])
  await world.close()
})

test('votes for a changed action do not count', async () => {
  const { world, record } = await openVote()
  mark(world, 'x')
  world.writeTasks(world.tasks().replace('Command: docker ps', 'Command: docker ps --dry-run'))
  const file = world.file('pending', record.id)
  decideInFile(world, record.id, 'APPROVED')
  writeFileSync(file, readFileSync(file, 'utf8').replace('`docker ps`', '`docker ps -a`'))
  expect(await world.approvals.list()).toMatchObject([{ status: 'pending', votes: [] }])
  expect(world.messages.join()).toContain('the action in the file differs from the requested action')
  await world.close()
})

test('a stricter policy after the votes denies the call', async () => {
  const { world, record } = await openVote()
  await world.approvals.decide(record, { decision: 'approve' }, page('bob'))
  await world.approvals.decide(record, { decision: 'approve' }, page('ann'))
  const later = await world.again({ approvals: [{ quorum: 3 }] })
  expect(await later.resume()).toMatchObject({ kind: 'report' })
  expect(later.done).toEqual([])
  await later.close()
})

test('a vote while a command is running without a sandbox is rejected, and files are not read', async () => {
  const { world, record } = await openVote()
  const end = markUnsandboxedCommand(world.home, 'key')
  try {
    mark(world, 'x')
    await expect(world.approvals.decide(record, { decision: 'approve' }, page('bob'))).rejects.toThrow(
      'a command is running without a sandbox',
    )
    expect(await world.approvals.list()).toMatchObject([{ votes: [] }])
    expect(await entriesOf(world, 'person.voted')).toEqual([])
  } finally {
    end()
  }
  expect(await world.approvals.list()).toMatchObject([{ votes: [{ by: 'ann' }] }])
  await world.close()
})

describe('while another process runs the session', () => {
  /** The run waits at its terminal, in a process of its own as far as the disk is concerned. */
  async function openRunning() {
    const { world } = await openVote()
    let isShown = () => {}
    const shown = new Promise<void>((resolve) => {
      isShown = resolve
    })
    const running = await world.again({
      ask: (_session, _question, signal) => {
        isShown()
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
      },
    })
    const end = running.resume()
    await shown
    const voting = await openWorld(lanes, { folder: running.home.at('..'), approvals: two })
    const [record] = await voting.approvals.list()
    return { running, voting, end, record: record! }
  }

  test('votes wait in files, and that process counts them', async () => {
    const { running, voting, end, record } = await openRunning()
    const votes = await Promise.all([
      voting.approvals.decide(record, { decision: 'approve' }, page('bob')),
      voting.approvals.decide(record, { decision: 'approve' }, voting.approvals.voters.here('command')),
      voting.approvals.decide(record, { decision: 'approve' }, page('bob')),
    ])
    expect(votes.map(({ kind }) => kind)).toEqual(['written', 'written', 'written'])
    expect(await end).toMatchObject({ kind: 'report', report: { status: 'completed' } })
    expect(running.done).toEqual(['launch docker ps'])
    expect(await entriesOf(voting, 'person.voted')).toHaveLength(2)
    expect(await entriesOf(voting, 'person.answered')).toMatchObject([{ by: 'bob, ann' }])
    await running.close()
    await voting.close()
  })

  test('a rejection in a form ends the wait', async () => {
    const { running, voting, end, record } = await openRunning()
    decideInFile(voting, record.id, 'REJECTED')
    expect(await end).toMatchObject({ kind: 'report' })
    expect(running.done).toEqual([])
    expect(voting.files('rejected')).toEqual([`${record.id}.approval.md`])
    await running.close()
    await voting.close()
  })
})

test('the person in the terminal votes, and the run is suspended until others have voted', async () => {
  const { world } = await openVote()
  const at = await world.again({ ask: async () => ({ decision: 'approve', by: 'somebody else' }) })
  expect(await at.resume()).toMatchObject({ kind: 'waiting' })
  expect(at.messages.join()).toContain('Recorded your approval: 1 of 2. Waiting for 1 more.')
  expect(await entriesOf(at, 'person.voted')).toMatchObject([{ by: 'ann', via: 'terminal' }])
  await at.close()
})

test('without a person, an interrupted call that needs several people is left as it is', async () => {
  const asking = await openWorld(lanes, { approvals: [{ quorum: 1 }] })
  await asking.start()
  const [record] = await asking.approvals.list()
  await asking.approvals.decide(record!, { decision: 'approve' }, asking.approvals.voters.here('command'))
  const dying = await asking.again({ hangs: true })
  void dying.resume()
  while (dying.hanging() === 0) await new Promise((resolve) => setImmediate(resolve))
  const alone = await dying.again({
    isUnattended: true,
    ask: async () => ({ decision: 'leave', by: 'cadre', reason: 'no person is available' }),
  })
  expect(await alone.resume()).toMatchObject({ kind: 'report' })
  expect(await entriesOf(alone, 'person.answered')).toMatchObject([
    { decision: 'approve' },
    { decision: 'leave', by: 'cadre' },
  ])
  await alone.close()
})

test('forged vote files do not count', async () => {
  const { world, record } = await openVote()
  const folder = world.home.folder('approvals', 'votes')
  const write = (name: string, value: unknown) =>
    writeFileSync(`${folder}/${record.id}.${name}.vote.json`, JSON.stringify(value), { mode: 0o600 })
  const approval = record.id
  write('1', { approval, decision: 'approve', by: 'mallory', via: 'page' })
  write('2', { approval, decision: 'approve', by: 'carol', via: 'page' })
  write('3', { approval, decision: 'approve-everything', by: 'bob', via: 'page' })
  write('4', { approval, decision: 'approve' })
  write('5', 'nonsense')
  // A vote about another approval, under the name of this one.
  write('6', { approval: 'approval-1-0', decision: 'approve', by: 'bob', via: 'page' })
  const elsewhere = world.home.at('bob.json')
  writeFileSync(elsewhere, JSON.stringify({ approval, decision: 'approve', by: 'bob', via: 'page' }), {
    mode: 0o600,
  })
  symlinkSync(elsewhere, `${folder}/${record.id}.7.vote.json`)
  expect(await world.approvals.list()).toMatchObject([{ status: 'pending', votes: [] }])
  expect(await entriesOf(world, 'person.voted')).toEqual([])
  await world.close()
})

describe.runIf(process.getuid?.() === 0)('with several system users', () => {
  const [bobId, carolId] = [4001, 4002]

  async function openUsers() {
    const { world, record } = await openVote()
    writeFileSync(
      world.home.at('storage', 'people.yaml'),
      `people:
  - { name: ann, roles: [approver], system: "${currentUser()}" }
  - { name: bob, roles: [approver], system: "uid:${bobId}" }
  - { name: carol, roles: [viewer], system: "uid:${carolId}" }
`,
    )
    return { world, record }
  }

  test("the owner of a form's file votes, and Cadre keeps votes apart when it rewrites the file", async () => {
    const { world, record } = await openUsers()
    mark(world, 'x')
    chownSync(world.home.at('tasks', 'approvals.task.md'), bobId, bobId)
    expect(await world.approvals.list()).toMatchObject([{ votes: [{ by: 'bob', via: 'file' }] }])
    expect(world.tasks()).toContain('- [_]')
    decideInFile(world, record.id, 'APPROVED')
    chownSync(world.file('pending', record.id), carolId, carolId)
    expect(await world.approvals.list()).toMatchObject([{ status: 'pending', votes: [{ by: 'bob' }] }])
    expect(readFileSync(world.file('pending', record.id), 'utf8')).toContain(
      '**Note:** this decision does not count',
    )
    mark(world, 'x')
    await world.approvals.list()
    expect(await entriesOf(world, 'person.answered')).toMatchObject([{ by: 'bob, ann' }])
    await world.close()
  })

  test.each(['votes', 'status', 'type'])(
    'a vote without the line "%s" does not become the vote of the user who rewrites the file',
    async (field) => {
      const { world, record } = await openUsers()
      mark(world, 'x')
      world.writeTasks(world.tasks().replace(new RegExp(`\\n {2}${field}: .*`), ''))
      chownSync(world.home.at('tasks', 'approvals.task.md'), carolId, carolId)
      // Another session asks, and Cadre adds its question to the file.
      const forms = createApprovalForms(world.home, () => {})
      await forms.update([{ ...record, id: 'approval-1-00000000', question: 'another', session: 'lead-2' }])
      const [after] = await world.approvals.list()
      expect(after?.votes).toEqual([])
      await world.close()
    },
  )

  test('another user cannot vote in the name of someone else', async () => {
    const { world, record } = await openUsers()
    const file = `${world.home.folder('approvals', 'votes')}/${record.id}.1.vote.json`
    writeFileSync(
      file,
      JSON.stringify({ approval: record.id, decision: 'approve', by: 'ann', via: 'command' }),
      { mode: 0o600 },
    )
    chownSync(file, bobId, bobId)
    expect(await world.approvals.list()).toMatchObject([{ votes: [] }])
    expect(world.messages.join()).toContain('another user wrote the vote under the name ann')
    expect(existsSync(file)).toBe(false)
    await world.close()
  })
})
