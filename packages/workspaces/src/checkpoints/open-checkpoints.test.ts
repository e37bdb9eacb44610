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
import { createSharedGround, type SharedGround } from './checkpoints.spec-helpers.ts'

/** The folder with the records of the project. */
function storeOf({ home }: SharedGround): string {
  const all = home.at('storage', 'checkpoints')
  return path.join(all, readdirSync(all).find((name) => name !== 'notes') as string)
}

test('a turn without effects leaves nothing behind, and a failed call is no change', async () => {
  const ground = createSharedGround()
  ground.checkpoints.beginTurn('lead-1', 'look')
  expect(ground.exists('.cadre')).toBe(false)
  expect(await ground.take('undo')).toMatchObject({ kind: 'nothing' })
  await ground.call('c1', ['a.txt'], () => {})
  expect(await ground.take('undo')).toMatchObject({ kind: 'nothing' })
})

test('turns are undone one after the other and redone in reverse', async () => {
  const ground = createSharedGround()
  const states = [ground.all()]
  for (const turn of ['first', 'second', 'third']) {
    ground.checkpoints.beginTurn('lead-1', turn)
    await ground.call(turn, ['a.txt', `${turn}.txt`], () => {
      ground.write('a.txt', `${turn}\n`)
      ground.write(`${turn}.txt`, turn)
    })
    states.push(ground.all())
  }
  for (const state of states.slice(0, -1).reverse()) {
    await ground.take('undo')
    expect(ground.all()).toEqual(state)
  }
  expect(await ground.take('undo')).toMatchObject({ kind: 'nothing' })
  for (const state of states.slice(1)) {
    await ground.take('redo')
    expect(ground.all()).toEqual(state)
  }
  expect(await ground.take('redo')).toMatchObject({ kind: 'nothing' })
})

test('runs no filter, hook or program of the repository, and keeps line endings', async () => {
  const ground = createSharedGround()
  const program = `touch ${ground.at('pwned')}; cat`
  for (const [key, value] of [
    ['filter.evil.clean', program],
    ['filter.evil.smudge', program],
    ['filter.evil.process', program],
    ['core.fsmonitor', program],
    ['core.hooksPath', ground.at('hooks')],
    ['diff.evil.textconv', program],
    ['core.autocrlf', 'true'],
  ])
    ground.git('config', key as string, value as string)
  ground.write(
    '.gitattributes',
    '* text=auto eol=crlf filter=evil diff=evil ident working-tree-encoding=UTF-16\n',
  )
  for (const hook of ['post-index-change', 'post-checkout', 'pre-auto-gc']) {
    ground.write(`hooks/${hook}`, `#!/bin/sh\n${program}\n`)
    chmodSync(ground.at('hooks', hook), 0o755)
  }
  ground.write('mixed.txt', 'a\r\nb\n$Id$\r\n')
  for (let index = 0; index < 40; index++) ground.write(`many/${index}.txt`, `${index}\r\n`)
  const before = ground.all()
  await ground.call('c1', 'command', () => {
    ground.write('mixed.txt', 'other\r\n')
    rmSync(ground.at('many'), { recursive: true })
  })
  expect(await ground.take('undo')).toMatchObject({ kind: 'applied' })
  expect(ground.all()).toEqual(before)
  expect(ground.exists('pwned')).toBe(false)
})

test('keeps the content that a turn replaced even if the repository removes it', async () => {
  const ground = createSharedGround()
  // More than a few files, so that git stores them.
  for (let index = 0; index < 40; index++) ground.write(`many/${index}.txt`, `${index}\n`)
  ground.git('add', '-A')
  ground.git('commit', '-qm', 'many')
  ground.git('gc', '-q')
  const before = ground.all()
  await ground.call('c1', 'command', () => rmSync(ground.at('many'), { recursive: true }))
  rmSync(ground.at('.git/objects'), { recursive: true })
  mkdirSync(ground.at('.git/objects'))
  expect(await ground.take('undo')).toMatchObject({ kind: 'applied' })
  expect(ground.all()).toEqual(before)
})

test('changes of another session, in between or at the same time, are not silently undone', async () => {
  const ground = createSharedGround()
  const [one, two] = [ground.session('one-1'), ground.session('two-1')]
  await ground.call('c1', ['a.txt'], () => ground.write('a.txt', '1\n'), one)
  await ground.call('c1', ['a.txt'], () => ground.write('a.txt', '2\n'), two)
  const plan = await ground.checkpoints.plan({
    direction: 'undo',
    workspace: ground.project,
    session: 'one-1',
  })
  expect(plan).toMatchObject({ plan: { conflicts: [{ path: 'a.txt', reason: 'has changed since' }] } })
  await ground.call('c2', ['a.txt'], () => ground.write('a.txt', '3\n'), one)
  expect(await ground.plan()).toMatchObject({
    session: 'two-1',
    conflicts: [{ path: 'a.txt', reason: 'has changed since' }],
  })

  const both = await ground.checkpoints.plan({
    direction: 'undo',
    workspace: ground.project,
    session: 'one-1',
  })
  expect(both).toMatchObject({
    plan: { conflicts: [{ path: 'a.txt', reason: 'was also changed by someone else during the turn' }] },
  })

  await ground.checkpoints.startCall(one, callOf('c3'))
  // Simulates another process.
  const other = ground.another()
  await other.startCall(two, callOf('c3'))
  ground.write('b.txt', 'whose?\n')
  expect(await ground.checkpoints.plan({ direction: 'undo', workspace: ground.project })).toMatchObject({
    kind: 'busy',
    reason: expect.stringMatching(/^Session (one|two)-1 is running a call in this folder/),
  })
  await ground.checkpoints.finishCall(one, 'c3')
  await other.finishCall(two, 'c3')
  expect((await ground.plan()).conflicts).toContainEqual({
    path: 'b.txt',
    reason: 'was changed while another session was running a command',
    canForce: true,
  })
})

test('undoes changes of team calls that started and finished at the same time', async () => {
  const ground = createSharedGround()
  ground.write('old.txt', 'old\n')
  const before = ground.all()
  const workers = [0, 1, 2, 3].map((n) => ground.session(`worker-${n}`, { root: 'lead-1' }))
  const all = <T>(work: (session: SessionSpec, n: number) => Promise<T>) => Promise.all(workers.map(work))
  // Tools, then commands, then both at the same time.
  await all((session, n) => ground.call('c1', [`${n}.txt`], () => ground.write(`${n}.txt`, 'new\n'), session))
  await all((session, n) =>
    ground.call('c2', 'command', () => ground.write(`made/${n}.txt`, 'made\n'), session),
  )
  await all((session, n) => ground.checkpoints.startCall(session, callOf('c3', n === 0 ? ['old.txt'] : [])))
  ground.write('old.txt', 'changed\n')
  await all((session) => ground.checkpoints.finishCall(session, 'c3'))
  const plan = await ground.plan()
  expect(plan).toMatchObject({ session: 'lead-1', conflicts: [] })
  expect(plan.files.map(({ path: name }) => name)).toContain('old.txt')
  expect(await ground.take('undo')).toMatchObject({ kind: 'applied', skipped: [] })
  expect(ground.all()).toEqual(before)
})

test('a file that a tool names during a command of another session counts as changed by the tool', async () => {
  const ground = createSharedGround()
  const [one, two] = [ground.session('one-1'), ground.session('two-1')]
  await ground.checkpoints.startCall(one, callOf('long'))
  await ground.call('c1', ['a.txt'], () => ground.write('a.txt', '2\n'), two)
  await ground.checkpoints.finishCall(one, 'long')
  expect(await ground.plan()).toMatchObject({ session: 'two-1', conflicts: [], files: [{ path: 'a.txt' }] })
  expect(
    await ground.checkpoints.plan({ direction: 'undo', workspace: ground.project, session: 'one-1' }),
  ).toMatchObject({
    kind: 'nothing',
  })
})

test('records the changes of a call whose process was killed, and asks before it undoes them', async () => {
  const ground = createSharedGround()
  const before = ground.all()
  ground.checkpoints.beginTurn('lead-1', 'work')
  await ground.call('c1', ['b.txt'], () => ground.write('b.txt', 'sure\n'))
  await ground.checkpoints.startCall(ground.session(), callOf('c2'))
  ground.write('a.txt', 'half\n')
  const file = path.join(
    storeOf(ground),
    'running',
    readdirSync(path.join(storeOf(ground), 'running'))[0] as string,
  )
  const running = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...running, process: { ...running.process, boot: 'an earlier one' } }))
  const next = ground.another()
  const planned = await next.plan({ direction: 'undo', workspace: ground.project })
  expect(planned).toMatchObject({
    kind: 'plan',
    plan: {
      files: [{ path: 'a.txt' }, { path: 'b.txt' }],
      conflicts: [{ path: 'a.txt', reason: 'was changed by a call that was interrupted, or after it' }],
    },
  })
  if (planned.kind !== 'plan') return
  expect(await next.apply(planned.plan, { by: 'ada' })).toMatchObject({ kind: 'refused' })
  expect(await next.apply(planned.plan, { by: 'ada', force: true })).toMatchObject({ kind: 'applied' })
  expect(ground.all()).toEqual(before)
})

test('finds a change once if the process was killed between the record of the turn and the picture', async () => {
  const ground = createSharedGround()
  const before = ground.all()
  await ground.call('c0', ['b.txt'], () => ground.write('b.txt', 'first\n'))
  await ground.checkpoints.startCall(ground.session(), callOf('c1'))
  const picture = path.join(storeOf(ground), 'picture.json')
  const running = path.join(storeOf(ground), 'running')
  const [name = ''] = readdirSync(running)
  const kept = [readFileSync(picture), readFileSync(path.join(running, name))] as const
  ground.write('a.txt', 'done\n')
  await ground.checkpoints.finishCall(ground.session(), 'c1')
  writeFileSync(picture, kept[0])
  const record = JSON.parse(kept[1].toString())
  writeFileSync(
    path.join(running, name),
    JSON.stringify({ ...record, process: { ...record.process, boot: 'an earlier one' } }),
  )
  const planned = await ground.another().plan({ direction: 'undo', workspace: ground.project })
  expect(planned).toMatchObject({ plan: { conflicts: [], files: [{ path: 'a.txt' }, { path: 'b.txt' }] } })
  expect(await ground.take('undo')).toMatchObject({ kind: 'applied' })
  expect(ground.all()).toEqual(before)
})

test('completes an undo that was killed after any of its steps, and keeps concurrent changes of a person', async () => {
  const ground = createSharedGround()
  ground.write('gone/deep.txt', 'deep\n')
  const before = ground.all()
  await ground.call('c1', 'command', () => {
    ground.write('a.txt', 'changed\n')
    chmodSync(ground.at('b.txt'), 0o755)
    rmSync(ground.at('gone'), { recursive: true })
    ground.write('gone', 'a file now\n')
    ground.write('new/one.txt', '1\n')
    symlinkSync('a.txt', ground.at('link'))
  })
  const after = ground.all()
  const { steps, turn } = await ground.plan()
  const journal = path.join(storeOf(ground), 'undo.json')
  const undo = (direction: string, its: typeof steps) =>
    writeFileSync(
      journal,
      JSON.stringify({ turn, direction, by: 'ada', at: new Date().toISOString(), steps: its }),
    )
  const inOrder = steps
    .toSorted((a, b) => (a.path < b.path ? 1 : -1))
    .filter(({ to }) => to.kind === 'absent')
  for (let count = 0; count <= inOrder.length; count++) {
    undo('undo', steps)
    for (const { path: name } of inOrder.slice(0, count))
      rmSync(ground.at(name), { recursive: true, force: true })
    writeFileSync(ground.at('.cadre-undo-1-a.txt'), 'half of a f')
    // The next operation completes it: here, the plan of the opposite.
    await ground.plan('redo')
    expect(ground.all()).toEqual(before)
    expect(existsSync(journal)).toBe(false)
    await ground.take('redo')
    expect(ground.all()).toEqual(after)
  }
  undo('undo', steps)
  ground.write('a.txt', 'mine\n')
  await ground.plan('redo')
  expect(ground.all()).toEqual({
    ...before,
    'a.txt': expect.stringContaining(Buffer.from('mine\n').toString('base64')),
  })
})

test('refuses and names a file that is too large to store, and a folder that is too large to scan', async () => {
  const ground = createSharedGround({ limits: { largest: 16, filesApart: 3, files: 40 } })
  ground.write('large.bin', 'more than sixteen bytes')
  for (let index = 0; index < 5; index++) ground.write(`ignored/${index}`, 'x')
  await ground.call('c1', 'command', () => {
    ground.write('large.bin', 'also more than sixteen bytes')
    ground.write('a.txt', 'small\n')
    ground.write('ignored/0', 'unseen')
  })
  const plan = await ground.plan()
  expect(plan.conflicts).toEqual([
    { path: 'large.bin', reason: 'is too large, so its earlier content was not kept', canForce: false },
  ])
  expect(plan.notices).toEqual(['Changes that commands made in these places stay: ignored/.'])
  expect(await ground.take('undo', { force: true })).toMatchObject({ kind: 'refused' })
  expect(await ground.take('undo', { skip: true })).toMatchObject({ kind: 'applied', skipped: ['large.bin'] })
  expect(ground.read('a.txt')).toBe('one\ntwo\nthree\n')

  for (let index = 0; index < 50; index++) ground.write(`many/${index}`, 'x')
  ground.checkpoints.beginTurn('lead-1', 'more')
  const told = await ground.checkpoints.startCall(ground.session(), callOf('c2'))
  expect(told).toContain('the folder has more than 40 files')
  ground.write('b.txt', 'unseen\n')
  expect(await ground.checkpoints.finishCall(ground.session(), 'c2')).toBeUndefined()
  // Files that tools name are still recorded.
  await ground.call('c3', ['a.txt'], () => ground.write('a.txt', 'named\n'))
  expect(await ground.plan()).toMatchObject({
    incomplete: 'the folder has more than 40 files',
    files: [{ path: 'a.txt' }],
  })
  expect(await ground.take('undo')).toMatchObject({ kind: 'refused' })
  expect(ground.read('a.txt')).toBe('named\n')
})

test('never writes through a link or outside the folder', async () => {
  const ground = createSharedGround()
  const outside = createSharedGround({ git: false })
  ground.write('sub/c.txt', 'c\n')
  await ground.call('c1', ['sub/c.txt'], () => ground.write('sub/c.txt', 'changed\n'))
  rmSync(ground.at('sub'), { recursive: true })
  outside.write('c.txt', 'changed\n')
  symlinkSync(outside.project, ground.at('sub'))
  expect(await ground.take('undo', { force: true })).toMatchObject({ kind: 'refused' })
  expect(outside.read('c.txt')).toBe('changed\n')

  const turns = path.join(storeOf(ground), 'turns')
  const file = path.join(turns, readdirSync(turns)[0] as string)
  for (const name of ['../outside.txt', '.git/hooks/post-checkout', 'sub/../../x']) {
    const change = { before: { kind: 'link', target: 'x' }, after: { kind: 'absent' } }
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), changes: { [name]: change } }),
    )
    await expect(ground.take('undo', { force: true })).rejects.toThrow('is not a file of this folder')
  }
})

test('removes old checkpoints and the contents that only they need', async () => {
  const ground = createSharedGround({ limits: { days: 0 } })
  await ground.call('c1', ['secret.env'], () => ground.write('secret.env', 'TOKEN=1\n'))
  await ground.call('c2', ['secret.env'], () => rmSync(ground.at('secret.env')))
  const store = storeOf(ground)
  const objects = () =>
    readdirSync(path.join(store, 'git', 'objects'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^..\/[0-9a-f]{38}$/.test(name),
    )
  expect(objects()).toHaveLength(1)
  for (const name of objects()) utimesSync(path.join(store, 'git', 'objects', name), 1, 1)
  utimesSync(path.join(store, 'expired'), 1, 1)
  ground.checkpoints.beginTurn('lead-1', 'later')
  await ground.call('c3', ['b.txt'], () => {})
  expect(objects()).toHaveLength(1)
  expect(await ground.take('undo')).toMatchObject({ kind: 'nothing' })
})
