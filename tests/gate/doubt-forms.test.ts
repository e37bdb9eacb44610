import { readFileSync, writeFileSync } from 'node:fs'
import type { ApprovalRecord } from '@cadre/gate'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { openWorld, voter, type World } from './approvals-world.ts'

const lanes = {
  lead: [call(['launch', { command: 'npm publish\n- [x] now' }]), say('published')],
}

/** A world in which an approved call was interrupted, and a person is asked whether it took effect. */
async function openDoubt(): Promise<{ world: World; record: ApprovalRecord }> {
  const asking = await openWorld(lanes)
  await asking.start()
  const [approval] = await asking.approvals.list()
  await asking.approvals.decide(approval!, { decision: 'approve' }, voter)
  const dying = await asking.again({ hangs: true })
  void dying.resume()
  while (dying.hanging() === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  const world = await dying.again()
  expect(await world.resume()).toMatchObject({ kind: 'waiting', questions: [{ name: 'doubt/call_1_0' }] })
  const [record] = await world.approvals.list()
  return { world, record: record! }
}

function edit(world: World, id: string, change: (task: string) => string): void {
  const text = world.tasks()
  const start = text.lastIndexOf('- [_]', text.indexOf(`id: ${id}`))
  world.writeTasks(text.slice(0, start) + change(text.slice(start)))
}

function decideInFile(world: World, id: string, word: string, notes = ''): void {
  const file = world.file('pending', id)
  const text = readFileSync(file, 'utf8')
    .replace('**Decision:**', `**Decision:** ${word}`)
    .replace('**Notes:**', `**Notes:** ${notes}`)
  writeFileSync(file, text)
}

const mark = (marker: string) => (task: string) => task.replace('- [_]', `- [${marker}]`)
const markDone = (task: string) => mark('x')(task).replace('\n', '\n  outcome: done\n')

async function resultIn(world: World) {
  const { entries = [] } = (await world.engine.read('lead-1')) ?? {}
  const result = entries.find((entry) => entry.role === 'tool_result')
  return result?.role === 'tool_result' ? result : undefined
}

test('a call in doubt is shown in full in both forms, with the possible answers', async () => {
  const { world, record } = await openDoubt()
  expect(record).toMatchObject({ type: 'in_doubt', action: 'npm publish\n- [x] now', status: 'pending' })
  const task = world.tasks().slice(world.tasks().indexOf('Approve another run'))
  expect(world.files('pending')).toEqual([`${record.id}.approval.md`])
  const file = readFileSync(world.file('pending', record.id), 'utf8')
  for (const text of [task, file]) {
    expect(text).toContain('| npm publish')
    expect(text).toContain(`cadre approve ${record.id}`)
    expect(text).toContain(`cadre approve ${record.id} --done`)
    expect(text).toContain(`cadre reject ${record.id}`)
  }
  expect(file).toContain('**Decision:** <!-- AGAIN | DONE | LEAVE -->')
})

type Decide = (world: World, record: ApprovalRecord) => unknown
const inTask = (change: (task: string) => string) => (world: World, record: ApprovalRecord) =>
  edit(world, record.id, change)
const inFile = (word: string, notes?: string) => (world: World, record: ApprovalRecord) =>
  decideInFile(world, record.id, word, notes)
const byCommand = (decision: string) => (world: World, record: ApprovalRecord) =>
  world.approvals.decide(record, { decision, by: 'anna' }, voter)

test.each<[string, Decide]>([
  ['[x] in its task', inTask(mark('x'))],
  ['AGAIN in its file', inFile('AGAIN')],
  ['APPROVED in its file', inFile('approved')],
  ['the command', byCommand('again')],
])('%s runs it again, once', async (_, decide) => {
  const { world, record } = await openDoubt()
  await decide(world, record)
  const later = await world.again()
  expect(await later.resume()).toMatchObject({ report: { status: 'completed', text: 'published' } })
  expect(later.done).toHaveLength(1)
  expect(later.files('pending')).toEqual([])
  expect(later.files('approved')).toContain(`${record.id}.approval.md`)
  expect(readFileSync(later.file('approved', record.id), 'utf8')).toMatch(
    /\*\*Decision:\*\* (?:AGAIN|approved)/,
  )
})

test.each<[string, Decide]>([
  ['[x] with outcome: done in its task', inTask(markDone)],
  ['DONE in its file', inFile('DONE')],
  ['the command', byCommand('done')],
])('%s records that it was carried out, and it does not run again', async (_, decide) => {
  const { world, record } = await openDoubt()
  await decide(world, record)
  const later = await world.again()
  expect(await later.resume()).toMatchObject({ report: { status: 'completed', text: 'published' } })
  expect(later.done).toEqual([])
  expect((await resultIn(later))?.content).toMatch(
    /^Done: the call was interrupted, but \w+ confirmed that it took effect/,
  )
  expect(later.tasks()).toContain('  outcome: done\n')
  expect(readFileSync(later.file('approved', record.id), 'utf8')).toContain('**Decision:** DONE')
})

test.each<[string, Decide]>([
  ['[-] in its task', inTask((task) => mark('-')(task).replace('\n', '\n  rejection_reason: ask Bob\n'))],
  ['LEAVE in its file', inFile('LEAVE', 'ask Bob')],
  ['REJECTED in its file', inFile('REJECTED', 'ask Bob')],
  [
    'the command',
    (world, record) => world.approvals.decide(record, { decision: 'leave', reason: 'ask Bob' }, voter),
  ],
])('%s leaves the call, and the agent has to check', async (_, decide) => {
  const { world, record } = await openDoubt()
  await decide(world, record)
  const later = await world.again()
  expect(await later.resume()).toMatchObject({ report: { status: 'completed' } })
  expect(later.done).toEqual([])
  expect(await resultIn(later)).toMatchObject({
    outcome: 'in_doubt',
    content: expect.stringMatching(/Check before you repeat it\. ask Bob$/),
  })
  expect(later.files('rejected')).toEqual([`${record.id}.approval.md`])
})

test('forms that disagree leave the call', async () => {
  const { world, record } = await openDoubt()
  edit(world, record.id, mark('x'))
  decideInFile(world, record.id, 'DONE')
  const later = await world.again()
  await later.resume()
  expect(later.done).toEqual([])
  expect(await resultIn(later)).toMatchObject({ outcome: 'in_doubt' })
})

test('an unknown word does not decide, and is reported', async () => {
  const { world, record } = await openDoubt()
  decideInFile(world, record.id, 'perhaps')
  expect(await world.approvals.list()).toHaveLength(1)
  expect(world.messages.join('\n')).toContain('only AGAIN, DONE or LEAVE is allowed after Decision')
})
