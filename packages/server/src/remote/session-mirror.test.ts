import { readFileSync, writeFileSync } from 'node:fs'
import type { Entry, StoredSession } from '@cadre/core'
import { expect, test } from 'vitest'
import { temporaryHome } from '../daemon/daemon.spec-helpers.ts'
import { spec, timestamp } from './remote.spec-helpers.ts'
import type { RemoteEdit, RemoteTrees } from './remote-trees.ts'
import { SessionMirror } from './session-mirror.ts'

const user = (seq: number, content: string): Entry => ({ seq, timestamp, role: 'user', content })

function openMirror() {
  const { home } = temporaryHome()
  const sent: RemoteEdit[] = []
  const rejected: string[] = []
  let entries: readonly Entry[] = []
  const read = async (): Promise<StoredSession> => ({
    spec,
    status: 'active',
    outcome: undefined,
    updated: timestamp,
    entries,
  })
  const trees = {
    readTree: async () => ({ sessions: new Map([['lead-1', JSON.stringify(entries)]]), read }),
    edit: async (_session: string, edit: RemoteEdit) => void sent.push(edit),
  } as unknown as RemoteTrees
  const engine = { hold: async () => {}, letGo: () => {} }
  const create = () =>
    new SessionMirror({
      home,
      engine: engine as never,
      trees,
      place: 'lab',
      rejected: (_session, message) => rejected.push(message),
    })
  const path = home.at('sessions', 'lead-1.session.yaml')
  return {
    create,
    sent,
    rejected,
    path,
    text: () => readFileSync(path, 'utf8'),
    record(next: readonly Entry[]) {
      entries = next
    },
    /** As a worker does. */
    apply(edit: RemoteEdit | undefined, later: readonly Entry[] = []) {
      if (edit === undefined) throw new Error('no edit was sent')
      const all = [...edit.entries, ...later]
      const event = { role: 'event', type: 'journal.edited', content: edit.summary, edit: edit.id } as const
      entries = [...all, { ...event, seq: all.length + 1, timestamp }]
    },
    edit: (change: (text: string) => string) => writeFileSync(path, change(readFileSync(path, 'utf8'))),
  }
}

test.each([false, true])(
  'keeps an edit in the file until the record shows it, restarted: %s',
  async (restarts) => {
    const { create, sent, text, record, edit, apply } = openMirror()
    let mirror = create()
    record([user(1, 'one'), user(2, 'two')])
    await mirror.sync('lead-1')
    edit((before) => before.replace('content: two', 'content: changed'))
    if (restarts) mirror = create()
    expect(mirror.isEdited('lead-1')).toBe(true)
    record([user(1, 'one'), user(2, 'two'), user(3, 'three')])
    expect(await mirror.sync('lead-1')).toMatchObject({ isAwaited: true })
    expect(mirror.isEdited('lead-1')).toBe(false)
    expect(sent.map(({ entries }) => entries.map(({ content }) => content))).toEqual([
      ['one', 'changed', 'three'],
    ])
    expect(await mirror.sync('lead-1')).toMatchObject({ isAwaited: true })
    expect(text()).toContain('content: changed')
    // The person changes the file again before the first change is recorded.
    edit((before) => before.replace('content: one', 'content: first'))
    expect(await mirror.sync('lead-1')).toMatchObject({ isAwaited: true })
    expect(sent).toHaveLength(1)
    apply(sent[0], [user(4, 'four')])
    expect(await mirror.sync('lead-1')).toMatchObject({ isAwaited: true })
    const contents = sent[1]?.entries.flatMap((entry) => (entry.role === 'user' ? [entry.content] : []))
    expect(contents).toEqual(['first', 'changed', 'three', 'four'])
    apply(sent[1])
    expect(await mirror.sync('lead-1')).toMatchObject({ isAwaited: false })
    expect(sent).toHaveLength(2)
    expect(text()).toContain('content: four')
  },
)

test('restores a file that cannot be read when it no longer changes, and keeps the edit', async () => {
  const { create, sent, text, record, edit, rejected, path } = openMirror()
  const mirror = create()
  record([user(1, 'one')])
  await mirror.sync('lead-1')
  edit((before) => before.replace('role: user', 'role: "user'))
  await mirror.sync('lead-1')
  expect(text()).toContain('role: "user')
  await mirror.sync('lead-1')
  expect([sent, rejected.length]).toEqual([[], 1])
  expect(text()).toContain('role: user')
  expect(readFileSync(`${path}.edit-1`, 'utf8')).toContain('role: "user')
  edit((before) => before.replace('content: one', 'content: changed'))
  await mirror.sync('lead-1')
  expect(sent).toHaveLength(1)
})
