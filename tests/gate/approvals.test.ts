import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer } from '@cadre/core'
import { cleanEnvironment, createPathResolver, runGuardedCommand } from '@cadre/gate'
import { markUnsandboxedCommand } from '@cadre/home'
import { call, say } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { inDeep } from '../support/amount.ts'
import { openWorld, voter, type World } from './approvals-world.ts'

const lanes = { lead: [call(['launch', { command: 'docker ps' }]), say('done')] }

function mark(world: World, marker: string, id?: string): void {
  const text = world.tasks()
  const at = text.lastIndexOf('- [_]', text.indexOf(`id: ${id}`))
  if (id === undefined) world.writeTasks(text.replaceAll('- [_]', `- [${marker}]`))
  else world.writeTasks(`${text.slice(0, at)}- [${marker}]${text.slice(at + 5)}`)
}

function decideInFile(world: World, id: string, word: string): void {
  const file = world.file('pending', id)
  writeFileSync(file, readFileSync(file, 'utf8').replace('**Decision:**', `**Decision:** ${word}`))
}

/** Read-only calls may be repeated. */
function launches({ done }: World): string[] {
  return done.filter((one) => one.startsWith('launch'))
}

async function journalOf(world: World, session = 'lead-1') {
  const { entries = [] } = (await world.engine.read(session)) ?? {}
  return entries.filter((entry) => entry.role === 'event' && entry.type === 'person.answered')
}

test('a reply that mixes calls with and without approval is completed together, after the decision', async () => {
  const mixed = {
    lead: [
      call(
        ['look', { command: 'a' }],
        ['launch', { command: 'one' }],
        ['look', { command: 'b' }],
        ['launch', { command: 'two' }],
      ),
      say('done'),
    ],
  }
  const world = await openWorld(mixed)
  expect(await world.start()).toMatchObject({ kind: 'waiting' })
  expect(world.done.toSorted()).toEqual(['look a', 'look b'])
  const records = await world.approvals.list()
  expect(records.map(({ action }) => action)).toEqual(['one', 'two'])
  mark(world, '-', records[1]!.id)
  const later = await world.again()
  expect(await later.resume()).toMatchObject({ kind: 'waiting' })
  expect(launches(later)).toEqual([])
  mark(later, 'x', records[0]!.id)
  const last = await later.again()
  expect(await last.resume()).toMatchObject({ kind: 'report', report: { status: 'completed' } })
  expect(launches(last)).toEqual(['launch one'])
  const { entries = [] } = (await last.engine.read('lead-1')) ?? {}
  const results = entries.flatMap((entry) =>
    entry.role === 'tool_result' ? [[entry.tool_call_id, entry.content]] : [],
  )
  expect(results.map(([, content]) => content)).toEqual([
    'look a: ok',
    'launch one: ok',
    'look b: ok',
    'rejected by system',
  ])
  expect(last.files('pending')).toEqual([])
  expect(last.files('approved')).toEqual([`${records[0]!.id}.approval.md`])
  expect(last.files('rejected')).toEqual([`${records[1]!.id}.approval.md`])
  await last.close()
})

test('a person sees the questions of all parallel children, and each child gets its own answer', async () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const world = await openWorld({
    lead: [
      call(
        ...names.map((name): [string, object] => [
          'delegateWork',
          { agentName: name, workDescription: name, reportExpectations: 'all' },
        ]),
      ),
      say('done'),
    ],
    ...Object.fromEntries(
      names.map((name) => [
        name,
        [call(['launch', { command: name }]), call(['reportOut', { report: name }])],
      ]),
    ),
  })
  expect(await world.start()).toMatchObject({ kind: 'waiting' })
  const records = await world.approvals.list()
  expect(records.map(({ agent, action }) => `${agent} ${action}`).toSorted()).toEqual(
    names.map((name) => `${name} ${name}`),
  )
  expect(world.tasks().match(/^- \[_\]/gm)).toHaveLength(5)
  for (const { agent, id } of records) mark(world, agent < 'c' ? 'x' : '-', id)
  const later = await world.again()
  expect(await later.resume()).toMatchObject({ kind: 'report', report: { status: 'completed' } })
  expect(later.done.toSorted()).toEqual(['launch a', 'launch b'])
  await later.close()
})

inDeep('fifty pending approvals are listed, decided by hand in one save, and carried out', async () => {
  const commands = Array.from({ length: 50 }, (_, index) => `number-${index}`)
  const world = await openWorld({
    lead: [call(...commands.map((command): [string, object] => ['launch', { command }])), say('done')],
  })
  await world.start()
  // Not once for each: an agent that asks a thousand questions would be too slow.
  expect(world.reads()).toBeLessThan(10)
  expect(await world.approvals.list()).toHaveLength(50)
  expect(world.files('pending')).toHaveLength(50)
  mark(world, 'x')
  const later = await world.again()
  expect(await later.resume()).toMatchObject({ kind: 'report' })
  expect(later.done.toSorted()).toEqual(commands.map((command) => `launch ${command}`).toSorted())
  expect(later.files('approved')).toHaveLength(50)
  expect(later.tasks().match(/^ {2}approved_by: system$/gm)).toHaveLength(50)
  await later.close()
})

test('if two forms differ, the first one seen applies, and the other is updated', async () => {
  const world = await openWorld(lanes)
  await world.start()
  const [record] = await world.approvals.list()
  mark(world, 'x')
  await world.approvals.list()
  // Too late: a person had the file open.
  const file = world.file('approved', record!.id)
  writeFileSync(file, readFileSync(file, 'utf8').replace('**Decision:** APPROVED', '**Decision:** REJECTED'))
  const later = await world.again()
  await later.resume()
  expect(later.done).toEqual(['launch docker ps'])
  expect(readFileSync(file, 'utf8')).toMatch(
    /\*\*Decision:\*\* APPROVED[^\n]*\n\*\*Note:\*\* this file contained REJECTED, but the first decision applies/,
  )
  expect(await journalOf(later)).toHaveLength(1)
  await later.close()
})

test('if both are found at the same time, the call is rejected', async () => {
  const world = await openWorld(lanes)
  await world.start()
  const [record] = await world.approvals.list()
  mark(world, 'x')
  decideInFile(world, record!.id, 'REJECTED')
  await world.resume()
  expect(world.done).toEqual([])
  expect(world.tasks()).toMatch(
    /- \[-\][\s\S]*status: rejected[\s\S]*note: this line contained another decision, but the first decision applies/,
  )
  await world.close()
})

test('a changed action in a form is reported and decides nothing; the command still does', async () => {
  const world = await openWorld(lanes)
  await world.start()
  const [record] = await world.approvals.list()
  mark(world, 'x')
  world.writeTasks(world.tasks().replace('Command: docker ps', 'Command: docker ps --dry-run'))
  expect(await world.resume()).toMatchObject({ kind: 'waiting' })
  expect(world.messages.join()).toMatch(
    /approvals\.task\.md: no valid decision for .*: the action in the file differs from the requested action/,
  )
  expect(world.done).toEqual([])
  expect(
    await world.approvals.decide(record!, { decision: 'reject', by: 'Ann', reason: 'no' }, voter),
  ).toMatchObject({
    kind: 'recorded',
  })
  expect(world.tasks()).toMatch(/- \[-\][\s\S]*rejected_by: Ann[\s\S]*rejection_reason: no/)
  await world.close()
})

test('of many concurrent decisions one is first, and all callers learn which', async () => {
  const world = await openWorld(lanes)
  await world.start()
  const [record] = await world.approvals.list()
  const decisions = ['approve', 'reject', 'approve-session', 'reject']
  const ends = await Promise.all(
    decisions.map((decision, index) => world.approvals.decide(record!, { decision, by: `p${index}` }, voter)),
  )
  const recorded = ends.filter(({ kind }) => kind === 'recorded')
  const [answer] = await journalOf(world)
  expect(await journalOf(world)).toHaveLength(1)
  for (const { answer: counted } of recorded) expect(counted).toMatchObject({ by: answer!['by' as never] })
  await world.resume()
  expect(world.done).toHaveLength(answer!['decision' as never] === 'reject' ? 0 : 1)
  await world.close()
})

test('of an answer in the terminal and an edited form, the first one decides', async () => {
  let signal: AbortSignal | undefined
  const world = await openWorld(lanes, {
    ask: (_, __, asked) => {
      signal = asked
      mark(world, 'x')
      return new Promise<Answer | undefined>((resolve) =>
        asked.addEventListener('abort', () => resolve(undefined)),
      )
    },
  })
  expect(await world.start()).toMatchObject({ kind: 'report' })
  expect(signal?.aborted).toBe(true)
  expect(world.done).toEqual(['launch docker ps'])
  expect(world.files('approved')).toHaveLength(1)
  await world.close()
})

test('an answer in the terminal settles the forms before it takes effect', async () => {
  const world = await openWorld(lanes, {
    ask: async () => ({ decision: 'reject', by: 'Bob', reason: 'not here' }),
  })
  await world.start()
  expect(world.done).toEqual([])
  expect(world.tasks()).toMatch(
    /- \[-\][\s\S]*status: rejected\n {2}rejected_by: Bob\n {2}rejected_at: .*\n {2}rejection_reason: not here\n/,
  )
  expect(world.files('rejected')).toHaveLength(1)
  await world.close()
})

test('while a command is running that could write them, no form is trusted or changed', async () => {
  const world = await openWorld(lanes)
  await world.start()
  const mark_ = `${world.home.folder('storage', 'unguarded')}/one.json`
  writeFileSync(mark_, JSON.stringify({ pid: process.pid, token: 't', host: 'elsewhere', boot: 'b' }))
  mark(world, 'x')
  const before = world.tasks()
  expect(await world.resume()).toMatchObject({ kind: 'waiting' })
  expect(await world.approvals.list()).toMatchObject([{ status: 'pending' }])
  expect(world.tasks()).toBe(before)
  expect(world.done).toEqual([])
  rmSync(mark_)
  expect(await world.resume()).toMatchObject({ kind: 'report' })
  expect(world.done).toEqual(['launch docker ps'])
  await world.close()
})

test('a question asked during such a command is shown to people when it has ended', async () => {
  const world = await openWorld(lanes)
  const mark_ = `${world.home.folder('storage', 'unguarded')}/one.json`
  writeFileSync(mark_, JSON.stringify({ pid: process.pid, token: 't', host: 'elsewhere', boot: 'b' }))
  expect(await world.start()).toMatchObject({ kind: 'waiting' })
  expect(world.files('pending')).toEqual([])
  rmSync(mark_)
  await world.close()
  expect(world.files('pending')).toHaveLength(1)
  expect(world.tasks()).toContain('- [_]')
})

test('a question asked during a command without a sandbox is not mistaken for its work', async () => {
  const world = await openWorld(lanes)
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-approvals-work-')))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const going = runGuardedCommand(
    {
      command: 'echo > started; while ! test -e go; do :; done',
      cwd: workspace,
      workspace,
      timeoutMs: 60_000,
      copy: false,
      network: false,
      environment: cleanEnvironment(process.env, []),
      key: 'other/call_1',
    },
    {
      sandbox: { kind: 'none', reason: 'this test wants none' },
      places: createPathResolver({ home: world.home.path }),
      home: world.home,
    },
    new AbortController().signal,
  )
  await expect.poll(() => existsSync(join(workspace, 'started'))).toBe(true)
  expect(await world.start()).toMatchObject({ kind: 'waiting' })
  writeFileSync(join(workspace, 'go'), '')
  expect(await going).toMatchObject({ kind: 'exited', changes: [] })
  await world.close()
  expect(world.files('pending')).toHaveLength(1)
  expect(world.tasks()).toContain('- [_]')
})

test('a process that died during such a command blocks no approval', async () => {
  const world = await openWorld(lanes)
  const finish = markUnsandboxedCommand(world.home, 'other/call_1')
  const folder = world.home.at('storage', 'unguarded')
  const own = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8')) as object
  finish()
  writeFileSync(join(folder, 'gone.json'), JSON.stringify({ ...own, pid: 999_999_999 }))
  await world.start()
  expect(world.files('pending')).toHaveLength(1)
  mark(world, 'x')
  expect(await world.resume()).toMatchObject({ kind: 'report' })
  await world.close()
})

test('after an approval for the session, the same call is not asked again', async () => {
  const twice = {
    lead: [
      call(['launch', { command: 'npm test' }]),
      call(['launch', { command: 'npm test' }], ['launch', { command: 'npm publish' }]),
      say('done'),
    ],
  }
  const world = await openWorld(twice)
  await world.start()
  world.writeTasks(
    world.tasks().replace('- [_]', '- [x]').replace('  status:', '  approved_for: session\n  status:'),
  )
  expect(await world.resume()).toMatchObject({ kind: 'waiting' })
  expect(world.done).toEqual(['launch npm test', 'launch npm test'])
  expect(await world.approvals.list()).toMatchObject([{ action: 'npm publish' }])
  await world.close()
})

test('a form with an unknown session or question decides nothing and breaks nothing', async () => {
  const world = await openWorld(lanes)
  await world.start()
  const forged = world
    .tasks()
    .replace('- [_]', '- [x]')
    .replaceAll('lead-1', '../../etc/passwd')
    .replaceAll(/approval-\d+-/g, 'approval-1-')
  world.writeTasks(`${world.tasks()}\n${forged}`)
  mkdirSync(world.home.at('approvals', 'pending', 'x.approval.md'))
  expect(await world.approvals.list({ all: true })).toMatchObject([{ status: 'pending' }])
  expect(await world.resume()).toMatchObject({ kind: 'waiting' })
  expect(world.tasks()).toContain('/etc/passwd')
  await world.close()
})
