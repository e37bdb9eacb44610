import type { Entry, StoredSession } from '@cadre/core'
import { contentKey, entryKey } from '@cadre/journal'
import { expect, test } from 'vitest'
import { localChanges } from './local-changes.ts'

const at = '2026-01-01T00:00:00.000Z'
const user = (seq: number, content: string): Entry => ({ seq, timestamp: at, role: 'user', content })
const event = (seq: number, type: string, rest: object): Entry =>
  ({ seq, timestamp: at, role: 'event', type, ...rest }) as Entry
const stored = (entries: readonly Entry[], systemPrompt = 'p') =>
  ({ spec: { systemPrompt }, entries }) as unknown as StoredSession
const asked = event(2, 'person.asked', { name: 'q' })
const answered = event(3, 'person.answered', { name: 'q', decision: 'approve', by: 'ann' })

test('finds nothing in a file that equals the record or is behind it', () => {
  expect(localChanges(stored([user(1, 'a')]), stored([user(1, 'a')]))).toBeUndefined()
  expect(localChanges(stored([user(1, 'a')]), stored([user(1, 'a'), asked]))).toBeUndefined()
})

test('finds a decision until the record has one', () => {
  const file = stored([user(1, 'a'), asked, answered])
  expect(localChanges(file, stored([user(1, 'a'), asked]))).toEqual({
    answers: [{ name: 'q', answer: { decision: 'approve', by: 'ann' } }],
  })
  const later = stored([user(1, 'a'), asked, user(3, 'b'), { ...answered, seq: 4 }])
  expect(localChanges(file, later)).toBeUndefined()
})

const baseOf = ({ spec, entries }: StoredSession) => ({
  entries: entries.map(entryKey),
  systemPrompt: contentKey(spec.systemPrompt),
})

test('finds messages, removed entries and a new prompt', () => {
  const record = stored([user(1, 'a'), user(2, 'b')])
  const added = localChanges(stored([user(1, 'a'), user(2, 'b'), user(3, 'c')]), record)
  expect(added?.edit).toEqual({
    id: expect.any(String),
    entries: [user(1, 'a'), user(2, 'b'), user(3, 'c')],
    base: 2,
    summary: 'The session file was changed: 1 entry added.',
  })
  expect(localChanges(stored([user(1, 'a')]), record)).toBeUndefined()
  expect(localChanges(stored([user(1, 'a')]), record, baseOf(record))?.edit).toMatchObject({
    entries: [user(1, 'a')],
    base: 2,
    summary: 'The session file was changed: 1 entry removed.',
  })
  expect(localChanges(stored(record.entries, 'new'), record)?.edit).toMatchObject({ systemPrompt: 'new' })
})

test('does not undo what the record has changed since the file was written', () => {
  const before = stored([user(1, 'a'), user(2, 'b')])
  const record = stored([user(1, 'a'), user(2, 'changed'), user(3, 'c')], 'another prompt')
  expect(localChanges(before, record, baseOf(before))).toBeUndefined()
})

test('a changed decision is a part of the edit, and a new one is not', () => {
  const record = stored([user(1, 'a'), asked, answered])
  const other = { ...answered, decision: 'reject' } as Entry
  const changes = localChanges(stored([user(1, 'a'), asked, other]), record, baseOf(record))
  expect(changes).toMatchObject({ answers: [], edit: { entries: [user(1, 'a'), asked, other] } })
  const open = stored([user(1, 'a'), asked])
  const file = stored([user(1, 'b'), asked, answered])
  expect(localChanges(file, open, baseOf(open))).toMatchObject({
    answers: [{ name: 'q' }],
    edit: { entries: [user(1, 'b'), asked] },
  })
})
