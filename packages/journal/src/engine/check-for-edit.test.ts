import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import type { Run } from '@cadre/core'
import type { Home } from '@cadre/home'
import { beforeEach, describe, expect, it } from 'vitest'
import { specOf } from '../format/journal.spec-helpers.ts'
import {
  edit,
  pathOf,
  said,
  say,
  type TestEngine,
  temporaryHome,
  testEngine,
  textOf,
} from './engine.spec-helpers.ts'

let home: Home
let engine: TestEngine
let run: Run
let path: string

beforeEach(async () => {
  home = temporaryHome()
  engine = await testEngine(home)
  run = await engine.open(specOf('lead-1'))
  path = pathOf(home, 'lead-1')
  for (const text of ['one', 'two', 'three']) await say(run, text)
  return () => engine.close()
})

const stored = async () => said((await engine.read('lead-1'))?.entries)

function renameOver(change: (text: string) => string): void {
  writeFileSync(`${path}.swap`, change(textOf(home, 'lead-1')))
  renameSync(`${path}.swap`, path)
}

const mine = '  - role: user\n    content: mine\n'

describe.each([
  ['rewritten in place', (change: (text: string) => string) => edit(home, 'lead-1', change)],
  ['replaced by renaming', renameOver],
])('a file that is %s', (_, change) => {
  it.each([
    ['an added entry', (text: string) => text + mine, ['one', 'two', 'three', 'mine'], '1 entry added.'],
    [
      'an added entry on an open line',
      (text: string) => text + mine.trimEnd(),
      ['one', 'two', 'three', 'mine'],
      '1 entry added.',
    ],
    [
      'an added entry with a number',
      (text: string) => `${text}  - seq: 4\n    role: user\n    content: mine\n`,
      ['one', 'two', 'three', 'mine'],
      '1 entry added.',
    ],
    [
      'a changed entry',
      (text: string) => text.replace('content: two', 'content: else'),
      ['one', 'else', 'three'],
      '1 entry added, 1 entry removed.',
    ],
    [
      'a removed tail',
      (text: string) => text.slice(0, text.indexOf('  - seq: 2')),
      ['one'],
      '2 entries removed.',
    ],
    [
      'no entries any more',
      (text: string) => text.slice(0, text.indexOf('  - seq: 1')),
      [],
      '3 entries removed.',
    ],
    [
      'another form altogether',
      (text: string) => text.replaceAll('\n', '\r\n') + mine,
      ['one', 'two', 'three', 'mine'],
      '1 entry added.',
    ],
  ])('with %s is the new truth', async (_name, change2, expected, summary) => {
    change(change2)
    const told = run.changes()
    expect(said(told?.entries)).toEqual(expected)
    expect(told?.summary).toBe(`The session file was changed: ${summary}`)
    expect(run.changes()).toBeUndefined()
    const next = await say(run, 'next')
    expect(await stored()).toEqual([...expected, 'next'])
    expect(next.seq).toBe(expected.length + 2)
    const events = (await engine.read('lead-1'))?.entries.filter((entry) => entry.role === 'event')
    expect(events).toMatchObject([{ type: 'journal.edited', content: told?.summary }])
    expect(engine.diagnostics).toContainEqual({
      code: 'journal.edited',
      session: 'lead-1',
      where: path,
      message: told?.summary,
    })
    expect(run.changes()).toBeUndefined()
  })

  it('is also found before a write, and reported afterwards', async () => {
    change((text) => text + mine)
    await say(run, 'next')
    expect(await stored()).toEqual(['one', 'two', 'three', 'mine', 'next'])
    expect(said(run.changes()?.entries)).toEqual(['one', 'two', 'three', 'mine', 'next'])
    expect(run.changes()).toBeUndefined()
  })

  it('of the prompt and the status is reported, and the session stays active', async () => {
    change((text) =>
      text
        .replace('You may delegate to nobody.', 'You may delegate.')
        .replace('status: active   ', 'status: completed'),
    )
    expect(run.changes()).toMatchObject({
      systemPrompt: 'You lead.\n\nYou may delegate.\n',
      summary: expect.stringContaining('system prompt changed'),
    })
    await say(run, 'next')
    expect((await engine.read('lead-1'))?.status).toBe('active')
  })

  it('that makes the file unreadable is kept in another file, and the file is restored', async () => {
    change((text) => text.replace('content: two', 'content: "two'))
    const broken = textOf(home, 'lead-1')
    const line = broken.slice(0, broken.indexOf('content: "two')).split('\n').length
    await say(run, 'next')
    expect(await stored()).toEqual(['one', 'two', 'three', 'next'])
    expect(readFileSync(`${path}.edit-1`, 'utf8')).toBe(broken)
    expect(engine.diagnostics).toMatchObject([
      { code: 'journal.edited', where: expect.stringMatching(/:\d+$/) },
    ])
    expect(Number(engine.diagnostics[0]?.where.split(':').at(-1))).toBeGreaterThanOrEqual(line)
    expect(run.changes()).toBeUndefined()
    edit(home, 'lead-1', () => 'again')
    await say(run, 'more')
    expect(await stored()).toEqual(['one', 'two', 'three', 'next', 'more'])
    expect(readFileSync(`${path}.edit-2`, 'utf8')).toBe('again')
  })
})

it('applies an entry that is appended while the session runs', async () => {
  appendFileSync(path, mine)
  expect(said(run.changes()?.entries)).toEqual(['one', 'two', 'three', 'mine'])
})

it('detects an edit of equal size by its time', async () => {
  edit(home, 'lead-1', (text) => text.replace('content: two', 'content: six'))
  const later = statSync(path).mtimeMs / 1000 + 5
  utimesSync(path, later, later)
  expect(said(run.changes()?.entries)).toEqual(['one', 'six', 'three'])
})

it('ignores a file with a new time and the same content', async () => {
  utimesSync(path, 1, 1)
  linkSync(path, `${path}.link`)
  expect(run.changes()).toBeUndefined()
  await say(run, 'next')
  expect(await stored()).toEqual(['one', 'two', 'three', 'next'])
  expect(engine.diagnostics).toEqual([])
})

it('waits until a file that is being written is complete', async () => {
  const text = textOf(home, 'lead-1')
  writeFileSync(path, '')
  expect(run.changes()).toBeUndefined()
  writeFileSync(path, text.slice(0, -30))
  const next = say(run, 'next')
  expect(run.changes()).toBeUndefined()
  writeFileSync(path, text + mine)
  await next
  expect(await stored()).toEqual(['one', 'two', 'three', 'mine', 'next'])
  expect(existsSync(`${path}.edit-1`)).toBe(false)
})

it('rewrites a file that stays empty or was removed', async () => {
  truncateSync(path, 0)
  await say(run, 'next')
  expect(await stored()).toEqual(['one', 'two', 'three', 'next'])
  rmSync(path)
  await say(run, 'more')
  expect(await stored()).toEqual(['one', 'two', 'three', 'next', 'more'])
  expect(engine.diagnostics.map(({ message }) => message)).toEqual([
    expect.stringContaining('no longer has messages'),
    expect.stringContaining('was removed'),
  ])
})

it.each([
  ['a pipe', (place: string) => void execFileSync('mkfifo', [place])],
  ['a folder', (place: string) => void mkdirSync(place)],
  ['a link to itself', (place: string) => symlinkSync(place, place)],
])('where %s stands in its place, it is written again', async (_, put) => {
  rmSync(path)
  put(path)
  await say(run, 'next')
  expect(await stored()).toEqual(['one', 'two', 'three', 'next'])
  expect(lstatSync(path).isFile()).toBe(true)
})

it('removes an entry that was truncated by an edit, and keeps it in another file', async () => {
  edit(home, 'lead-1', (text) => text.slice(0, text.indexOf('content: three')))
  await say(run, 'next')
  expect(await stored()).toEqual(['one', 'two', 'next'])
  expect(readFileSync(`${path}.torn`, 'utf8')).toContain('- seq: 3')
})

it('keeps the file of another session that replaced this one', async () => {
  edit(home, 'lead-1', (text) => text.replace('session_id: lead-1', 'session_id: lead-2'))
  await say(run, 'next')
  expect(await stored()).toEqual(['one', 'two', 'three', 'next'])
  expect(readFileSync(`${path}.edit-1`, 'utf8')).toContain('lead-2')
})

it('keeps each original of a file in another format', async () => {
  edit(home, 'lead-1', (text) => `\ufeff${text}`)
  await say(run, 'next')
  edit(home, 'lead-1', (text) => `\ufeff${text}`)
  await say(run, 'more')
  expect(readFileSync(`${path}.orig`, 'utf8')).not.toBe(readFileSync(`${path}.orig-2`, 'utf8'))
  expect(await stored()).toEqual(['one', 'two', 'three', 'next', 'more'])
})

it('keeps text that was written into a file without a header', async () => {
  const other = await engine.open(specOf('lead-2'))
  writeFileSync(pathOf(home, 'lead-2'), mine)
  await say(other, 'one')
  expect(said((await engine.read('lead-2'))?.entries)).toEqual(['one'])
  expect(readFileSync(`${pathOf(home, 'lead-2')}.edit-1`, 'utf8')).toBe(mine)
})

it('creates a removed folder again', async () => {
  rmSync(home.at('sessions'), { recursive: true })
  await say(run, 'next')
  expect(await stored()).toEqual(['one', 'two', 'three', 'next'])
})
