import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Entry, SessionSpec, StoredSession } from '@cadre/core'
import { homeOwner, openHome, readRequesters, recordRequesters, unknownRequester } from '@cadre/home'
import { expect, onTestFinished, test } from 'vitest'
import { startersOf } from './starters-of.ts'

function temporaryHome() {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-starters-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return openHome({ home: folder, cwd: '/', env: {} })
}

interface Written {
  readonly root?: string
  readonly parent?: string
  readonly startedBy?: string
  readonly given?: unknown
  readonly children?: readonly string[]
  readonly by?: unknown
  readonly answers?: readonly object[]
}

function stored(id: string, { root = 'lead', parent, startedBy = 'root', ...more }: Written): StoredSession {
  const { given, children = [], by, answers = [] } = more
  const entries = [
    { seq: 1, timestamp: '', role: 'user', content: 'Do it.', ...(by !== undefined && { by }) },
    ...children.map((child, at) => ({
      seq: at + 2,
      timestamp: '',
      role: 'event',
      type: 'call.started',
      child,
    })),
    ...answers.map((answer) => ({
      seq: 9,
      timestamp: '',
      role: 'event',
      type: 'person.answered',
      ...answer,
    })),
  ] as unknown as Entry[]
  const spec = {
    id,
    root,
    ...(parent !== undefined && { parent: { session: parent, call: 'c' } }),
    ...(startedBy !== '' && { startedBy }),
    work: { content: 'Do it.', ...(given !== undefined && { by: given }) },
  } as unknown as SessionSpec
  return { spec, entries } as unknown as StoredSession
}

const tree = (changes: Readonly<Record<string, Written>> = {}) =>
  new Map(
    Object.entries({
      lead: { children: ['left', 'right'], ...changes['lead'] },
      left: { parent: 'lead', ...changes['left'] },
      right: { parent: 'lead', ...changes['right'] },
    }).map(([id, written]) => [id, stored(id, written)]),
  )

const namesFor = (session: string, sessions: Map<string, StoredSession>, home = temporaryHome()) =>
  startersOf(session, { home, read: async (id) => sessions.get(id) })

test.each<[string, Record<string, Written>]>([
  ['the session itself', { left: { by: ['bob'] } }],
  ['the session above', { lead: { by: ['bob'] } }],
  ['a session beside it', { right: { by: ['bob'] } }],
  ['the first work of the tree', { lead: { given: ['bob'] } }],
])('finds a person who influenced %s', async (_, changes) => {
  expect(await namesFor('left', tree(changes))).toEqual(expect.arrayContaining(['root', 'bob']))
})

test('finds a person whose reason for a rejection the agent has read, but not one who only decided', async () => {
  const answers = [
    { by: 'bob', decision: 'reject', reason: 'Use a branch.' },
    { by: 'carol', decision: 'reject' },
    { by: 'dave', decision: 'reject', reason: '' },
    { by: 'erin', decision: 'approve', reason: 'Fine.' },
  ]
  expect((await namesFor('left', tree({ right: { answers } }))).toSorted()).toEqual(['bob', 'root'])
  expect(
    await namesFor('left', tree({ right: { answers: [{ decision: 'reject', reason: 'No.' }] } })),
  ).toContain(unknownRequester)
})

test('finds people whose work is no longer in the journal', async () => {
  const home = temporaryHome()
  recordRequesters(home, 'session', 'right', ['bob'])
  recordRequesters(home, 'session', 'right', ['bob', 'carol'])
  expect((await namesFor('left', tree(), home)).toSorted()).toEqual(['bob', 'carol', 'root'])
})

test("names the home's owner if a file does not name a starter, in addition to others", async () => {
  const home = temporaryHome()
  const names = await namesFor(
    'lead',
    new Map([['lead', stored('lead', { startedBy: '', by: ['bob'] })]]),
    home,
  )
  expect(names).toEqual([homeOwner(home).user, 'bob'])
})

test.each<[string, Map<string, StoredSession>]>([
  ['the entry session has no journal', new Map([...tree()].filter(([id]) => id !== 'lead'))],
  ['an entry has something else than names', tree({ right: { by: { name: 'bob' } } })],
  ['a name is not text', tree({ right: { by: [7] } })],
])('does not know everybody if %s', async (_, sessions) => {
  expect(await namesFor('left', sessions)).toContain(unknownRequester)
})

test('does not know everybody if a journal or a record cannot be read', async () => {
  const home = temporaryHome()
  const sessions = tree()
  const read = async (id: string) => {
    if (id === 'right') throw new Error('damaged')
    return sessions.get(id)
  }
  expect(await startersOf('left', { home, read })).toContain(unknownRequester)
  recordRequesters(home, 'task', 'task-1', ['bob'])
  expect(readRequesters(home, 'task', 'task-1')).toEqual(['bob'])
  expect(readRequesters(home, 'task', '../task-1')).toEqual([])
})

test('a child that a crash left without a journal does not add anyone', async () => {
  const sessions = new Map([...tree()].filter(([id]) => id !== 'right'))
  expect(await namesFor('left', sessions)).toEqual(['root'])
})

test('ends for journals that name each other in a circle', async () => {
  const sessions = tree({ lead: { parent: 'left' }, left: { children: ['lead', 'left'] } })
  expect(await namesFor('left', sessions)).toEqual(['root'])
})
