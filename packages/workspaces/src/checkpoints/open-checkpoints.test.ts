import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { SessionSpec } from '@cadre/core'
import { expect, test } from 'vitest'
import { callOf } from '../workspaces.spec-helpers.ts'
import { createSharedFixture, type SharedFixture } from './checkpoints.spec-helpers.ts'

/** For tests that take seconds: `npm test` skips them, and `npm run test:deep` runs them. */
const inDeep = test.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])

/** The folder with the records of the project. */
function storeOf({ home }: SharedFixture): string {
  const all = home.at('storage', 'checkpoints')
  return path.join(all, readdirSync(all).find((name) => name !== 'notes') as string)
}

test('a turn without effects leaves nothing behind, and a failed call is no change', async () => {
  const fixture = createSharedFixture()
  fixture.checkpoints.beginTurn('lead-1', 'look')
  expect(fixture.exists('.cadre')).toBe(false)
  expect(await fixture.take('undo')).toMatchObject({ kind: 'nothing' })
  await fixture.call('c1', ['a.txt'], () => {})
  expect(await fixture.take('undo')).toMatchObject({ kind: 'nothing' })
})

inDeep('turns are undone one after the other and redone in reverse', async () => {
  const fixture = createSharedFixture()
  const states = [fixture.all()]
  for (const turn of ['first', 'second', 'third']) {
    fixture.checkpoints.beginTurn('lead-1', turn)
    await fixture.call(turn, ['a.txt', `${turn}.txt`], () => {
      fixture.write('a.txt', `${turn}\n`)
      fixture.write(`${turn}.txt`, turn)
    })
    states.push(fixture.all())
  }
  for (const state of states.slice(0, -1).reverse()) {
    await fixture.take('undo')
    expect(fixture.all()).toEqual(state)
  }
  expect(await fixture.take('undo')).toMatchObject({ kind: 'nothing' })
  for (const state of states.slice(1)) {
    await fixture.take('redo')
    expect(fixture.all()).toEqual(state)
  }
  expect(await fixture.take('redo')).toMatchObject({ kind: 'nothing' })
})

test('runs no filter, hook or program of the repository, and keeps line endings', async () => {
  const fixture = createSharedFixture()
  const program = `touch ${fixture.at('pwned')}; cat`
  for (const [key, value] of [
    ['filter.evil.clean', program],
    ['filter.evil.smudge', program],
    ['filter.evil.process', program],
    ['core.fsmonitor', program],
    ['core.hooksPath', fixture.at('hooks')],
    ['diff.evil.textconv', program],
    ['core.autocrlf', 'true'],
  ])
    fixture.git('config', key as string, value as string)
  fixture.write(
    '.gitattributes',
    '* text=auto eol=crlf filter=evil diff=evil ident working-tree-encoding=UTF-16\n',
  )
  for (const hook of ['post-index-change', 'post-checkout', 'pre-auto-gc']) {
    fixture.write(`hooks/${hook}`, `#!/bin/sh\n${program}\n`)
    chmodSync(fixture.at('hooks', hook), 0o755)
  }
  fixture.write('mixed.txt', 'a\r\nb\n$Id$\r\n')
  for (let index = 0; index < 40; index++) fixture.write(`many/${index}.txt`, `${index}\r\n`)
  const before = fixture.all()
  await fixture.call('c1', 'command', () => {
    fixture.write('mixed.txt', 'other\r\n')
    rmSync(fixture.at('many'), { recursive: true })
  })
  expect(await fixture.take('undo')).toMatchObject({ kind: 'applied' })
  expect(fixture.all()).toEqual(before)
  expect(fixture.exists('pwned')).toBe(false)
})

inDeep('keeps the content that a turn replaced even if the repository removes it', async () => {
  const fixture = createSharedFixture()
  // More than a few files, so that git stores them.
  for (let index = 0; index < 40; index++) fixture.write(`many/${index}.txt`, `${index}\n`)
  fixture.git('add', '-A')
  fixture.git('commit', '-qm', 'many')
  fixture.git('gc', '-q')
  const before = fixture.all()
  await fixture.call('c1', 'command', () => rmSync(fixture.at('many'), { recursive: true }))
  rmSync(fixture.at('.git/objects'), { recursive: true })
  mkdirSync(fixture.at('.git/objects'))
  expect(await fixture.take('undo')).toMatchObject({ kind: 'applied' })
  expect(fixture.all()).toEqual(before)
})

test('changes of another session, in between or at the same time, are not silently undone', async () => {
  const fixture = createSharedFixture()
  const [one, two] = [fixture.session('one-1'), fixture.session('two-1')]
  await fixture.call('c1', ['a.txt'], () => fixture.write('a.txt', '1\n'), one)
  await fixture.call('c1', ['a.txt'], () => fixture.write('a.txt', '2\n'), two)
  const plan = await fixture.checkpoints.plan({
    direction: 'undo',
    workspace: fixture.project,
    session: 'one-1',
  })
  expect(plan).toMatchObject({ plan: { conflicts: [{ path: 'a.txt', reason: 'has changed since' }] } })
  await fixture.call('c2', ['a.txt'], () => fixture.write('a.txt', '3\n'), one)
  expect(await fixture.plan()).toMatchObject({
    session: 'two-1',
    conflicts: [{ path: 'a.txt', reason: 'has changed since' }],
  })

  const both = await fixture.checkpoints.plan({
    direction: 'undo',
    workspace: fixture.project,
    session: 'one-1',
  })
  expect(both).toMatchObject({
    plan: { conflicts: [{ path: 'a.txt', reason: 'was also changed by someone else during the turn' }] },
  })

  await fixture.checkpoints.startCall(one, callOf('c3'))
  // Simulates another process.
  const other = fixture.another()
  await other.startCall(two, callOf('c3'))
  fixture.write('b.txt', 'whose?\n')
  expect(await fixture.checkpoints.plan({ direction: 'undo', workspace: fixture.project })).toMatchObject({
    kind: 'busy',
    reason: expect.stringMatching(/^Session (one|two)-1 is running a call in this folder/),
  })
  await fixture.checkpoints.finishCall(one, 'c3')
  await other.finishCall(two, 'c3')
  expect((await fixture.plan()).conflicts).toContainEqual({
    path: 'b.txt',
    reason: 'was changed while another session was running a command',
    canForce: true,
  })
})

inDeep('undoes changes of team calls that started and finished at the same time', async () => {
  const fixture = createSharedFixture()
  fixture.write('old.txt', 'old\n')
  const before = fixture.all()
  const workers = [0, 1, 2, 3].map((n) => fixture.session(`worker-${n}`, { root: 'lead-1' }))
  const all = <T>(work: (session: SessionSpec, n: number) => Promise<T>) => Promise.all(workers.map(work))
  // Tools, then commands, then both at the same time.
  await all((session, n) =>
    fixture.call('c1', [`${n}.txt`], () => fixture.write(`${n}.txt`, 'new\n'), session),
  )
  await all((session, n) =>
    fixture.call('c2', 'command', () => fixture.write(`made/${n}.txt`, 'made\n'), session),
  )
  await all((session, n) => fixture.checkpoints.startCall(session, callOf('c3', n === 0 ? ['old.txt'] : [])))
  fixture.write('old.txt', 'changed\n')
  await all((session) => fixture.checkpoints.finishCall(session, 'c3'))
  const plan = await fixture.plan()
  expect(plan).toMatchObject({ session: 'lead-1', conflicts: [] })
  expect(plan.files.map(({ path: name }) => name)).toContain('old.txt')
  expect(await fixture.take('undo')).toMatchObject({ kind: 'applied', skipped: [] })
  expect(fixture.all()).toEqual(before)
})

test('a file that a tool names during a command of another session counts as changed by the tool', async () => {
  const fixture = createSharedFixture()
  const [one, two] = [fixture.session('one-1'), fixture.session('two-1')]
  await fixture.checkpoints.startCall(one, callOf('long'))
  await fixture.call('c1', ['a.txt'], () => fixture.write('a.txt', '2\n'), two)
  await fixture.checkpoints.finishCall(one, 'long')
  expect(await fixture.plan()).toMatchObject({ session: 'two-1', conflicts: [], files: [{ path: 'a.txt' }] })
  expect(
    await fixture.checkpoints.plan({ direction: 'undo', workspace: fixture.project, session: 'one-1' }),
  ).toMatchObject({
    kind: 'nothing',
  })
})

inDeep('records the changes of a call whose process was killed, and asks before it undoes them', async () => {
  const fixture = createSharedFixture()
  const before = fixture.all()
  fixture.checkpoints.beginTurn('lead-1', 'work')
  await fixture.call('c1', ['b.txt'], () => fixture.write('b.txt', 'sure\n'))
  await fixture.checkpoints.startCall(fixture.session(), callOf('c2'))
  fixture.write('a.txt', 'half\n')
  const file = path.join(
    storeOf(fixture),
    'running',
    readdirSync(path.join(storeOf(fixture), 'running'))[0] as string,
  )
  const running = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...running, process: { ...running.process, boot: 'an earlier one' } }))
  const next = fixture.another()
  const planned = await next.plan({ direction: 'undo', workspace: fixture.project })
  expect(planned).toMatchObject({
    kind: 'plan',
    plan: {
      files: [{ path: 'a.txt' }, { path: 'b.txt' }],
      conflicts: [{ path: 'a.txt', reason: 'was changed during or after an interrupted call' }],
    },
  })
  if (planned.kind !== 'plan') return
  expect(await next.apply(planned.plan, { by: 'ada' })).toMatchObject({ kind: 'refused' })
  expect(await next.apply(planned.plan, { by: 'ada', force: true })).toMatchObject({ kind: 'applied' })
  expect(fixture.all()).toEqual(before)
})

test('finds a change once if the process was killed between the record of the turn and the picture', async () => {
  const fixture = createSharedFixture()
  const before = fixture.all()
  await fixture.call('c0', ['b.txt'], () => fixture.write('b.txt', 'first\n'))
  await fixture.checkpoints.startCall(fixture.session(), callOf('c1'))
  const picture = path.join(storeOf(fixture), 'picture.json')
  const running = path.join(storeOf(fixture), 'running')
  const [name = ''] = readdirSync(running)
  const kept = [readFileSync(picture), readFileSync(path.join(running, name))] as const
  fixture.write('a.txt', 'done\n')
  await fixture.checkpoints.finishCall(fixture.session(), 'c1')
  writeFileSync(picture, kept[0])
  const record = JSON.parse(kept[1].toString())
  writeFileSync(
    path.join(running, name),
    JSON.stringify({ ...record, process: { ...record.process, boot: 'an earlier one' } }),
  )
  const planned = await fixture.another().plan({ direction: 'undo', workspace: fixture.project })
  expect(planned).toMatchObject({ plan: { conflicts: [], files: [{ path: 'a.txt' }, { path: 'b.txt' }] } })
  expect(await fixture.take('undo')).toMatchObject({ kind: 'applied' })
  expect(fixture.all()).toEqual(before)
})

inDeep(
  'completes an undo that was killed after any of its steps, and keeps concurrent changes of a person',
  async () => {
    const fixture = createSharedFixture()
    fixture.write('gone/deep.txt', 'deep\n')
    const before = fixture.all()
    await fixture.call('c1', 'command', () => {
      fixture.write('a.txt', 'changed\n')
      chmodSync(fixture.at('b.txt'), 0o755)
      rmSync(fixture.at('gone'), { recursive: true })
      fixture.write('gone', 'a file now\n')
      fixture.write('new/one.txt', '1\n')
      symlinkSync('a.txt', fixture.at('link'))
    })
    const after = fixture.all()
    const { steps, turn } = await fixture.plan()
    const journal = path.join(storeOf(fixture), 'undo.json')
    const undo = (direction: string, wanted: typeof steps) =>
      writeFileSync(
        journal,
        JSON.stringify({ turn, direction, by: 'ada', at: new Date().toISOString(), steps: wanted }),
      )
    const inOrder = steps
      .toSorted((a, b) => (a.path < b.path ? 1 : -1))
      .filter(({ to }) => to.kind === 'absent')
    for (let count = 0; count <= inOrder.length; count++) {
      undo('undo', steps)
      for (const { path: name } of inOrder.slice(0, count))
        rmSync(fixture.at(name), { recursive: true, force: true })
      writeFileSync(fixture.at('.cadre-undo-1-a.txt'), 'half of a f')
      // The next operation completes it: here, the plan of the opposite.
      await fixture.plan('redo')
      expect(fixture.all()).toEqual(before)
      expect(existsSync(journal)).toBe(false)
      await fixture.take('redo')
      expect(fixture.all()).toEqual(after)
    }
    undo('undo', steps)
    fixture.write('a.txt', 'mine\n')
    await fixture.plan('redo')
    expect(fixture.all()).toEqual({
      ...before,
      'a.txt': expect.stringContaining(Buffer.from('mine\n').toString('base64')),
    })
  },
)

test('refuses and names a file that is too large to store, and a folder that is too large to scan', async () => {
  const fixture = createSharedFixture({ limits: { maxFileSize: 16, filesApart: 3, files: 40 } })
  fixture.write('large.bin', 'more than sixteen bytes')
  for (let index = 0; index < 5; index++) fixture.write(`ignored/${index}`, 'x')
  await fixture.call('c1', 'command', () => {
    fixture.write('large.bin', 'also more than sixteen bytes')
    fixture.write('a.txt', 'small\n')
    fixture.write('ignored/0', 'unseen')
  })
  const plan = await fixture.plan()
  expect(plan.conflicts).toEqual([
    { path: 'large.bin', reason: 'is too large, so its earlier content was not kept', canForce: false },
  ])
  expect(plan.notices).toEqual(['Undo does not revert changes that commands made in these places: ignored/.'])
  expect(await fixture.take('undo', { force: true })).toMatchObject({ kind: 'refused' })
  expect(await fixture.take('undo', { skip: true })).toMatchObject({
    kind: 'applied',
    skipped: ['large.bin'],
  })
  expect(fixture.read('a.txt')).toBe('one\ntwo\nthree\n')

  for (let index = 0; index < 50; index++) fixture.write(`many/${index}`, 'x')
  fixture.checkpoints.beginTurn('lead-1', 'more')
  const told = await fixture.checkpoints.startCall(fixture.session(), callOf('c2'))
  expect(told).toContain('the folder has more than 40 files')
  fixture.write('b.txt', 'unseen\n')
  expect(await fixture.checkpoints.finishCall(fixture.session(), 'c2')).toBeUndefined()
  // Files that tools name are still recorded.
  await fixture.call('c3', ['a.txt'], () => fixture.write('a.txt', 'named\n'))
  expect(await fixture.plan()).toMatchObject({
    incomplete: 'the folder has more than 40 files',
    files: [{ path: 'a.txt' }],
  })
  expect(await fixture.take('undo')).toMatchObject({ kind: 'refused' })
  expect(fixture.read('a.txt')).toBe('named\n')
})

inDeep('never writes through a link or outside the folder', async () => {
  const fixture = createSharedFixture()
  const outside = createSharedFixture({ git: false })
  fixture.write('sub/c.txt', 'c\n')
  await fixture.call('c1', ['sub/c.txt'], () => fixture.write('sub/c.txt', 'changed\n'))
  rmSync(fixture.at('sub'), { recursive: true })
  outside.write('c.txt', 'changed\n')
  symlinkSync(outside.project, fixture.at('sub'))
  expect(await fixture.take('undo', { force: true })).toMatchObject({ kind: 'refused' })
  expect(outside.read('c.txt')).toBe('changed\n')

  const turns = path.join(storeOf(fixture), 'turns')
  const file = path.join(turns, readdirSync(turns)[0] as string)
  for (const name of ['../outside.txt', '.git/hooks/post-checkout', 'sub/../../x']) {
    const change = { before: { kind: 'link', target: 'x' }, after: { kind: 'absent' } }
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), changes: { [name]: change } }),
    )
    await expect(fixture.take('undo', { force: true })).rejects.toThrow('is not a file in this folder')
  }
})

test('removes old checkpoints and the contents that only they need', async () => {
  const fixture = createSharedFixture({ limits: { days: 0 } })
  await fixture.call('c1', ['secret.env'], () => fixture.write('secret.env', 'TOKEN=1\n'))
  await fixture.call('c2', ['secret.env'], () => rmSync(fixture.at('secret.env')))
  const store = storeOf(fixture)
  const objects = () =>
    readdirSync(path.join(store, 'git', 'objects'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^..\/[0-9a-f]{38}$/.test(name),
    )
  expect(objects()).toHaveLength(1)
  for (const name of objects()) utimesSync(path.join(store, 'git', 'objects', name), 1, 1)
  utimesSync(path.join(store, 'expired'), 1, 1)
  fixture.checkpoints.beginTurn('lead-1', 'later')
  await fixture.call('c3', ['b.txt'], () => {})
  expect(objects()).toHaveLength(1)
  expect(await fixture.take('undo')).toMatchObject({ kind: 'nothing' })
})
