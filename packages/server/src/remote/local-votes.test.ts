import { type Answer, answerDrafts, answerIn, type Draft, type Entry, type StoredSession } from '@cadre/core'
import { contentKey, entryKey } from '@cadre/journal'
import { expect, test } from 'vitest'
import { localChanges } from './local-changes.ts'
import { spec, timestamp } from './remote.spec-helpers.ts'

const name = 'approval/c1'
const approvals = { quorum: 2, roles: [], notByStarter: false }
const asked = numbered([{ role: 'event', type: 'person.asked', name, detail: { approvals } }], [])

function numbered(drafts: readonly Draft[], after: readonly Entry[]): Entry[] {
  return drafts.map((draft, index) => ({ ...draft, seq: after.length + index + 1, timestamp }) as Entry)
}

/** As an engine records a vote. */
function cast(entries: readonly Entry[], answer: Answer): readonly Entry[] {
  return [...entries, ...numbered(answerDrafts(entries, name, answer), entries)]
}

/** Sends what the file has, as the daemon does, and returns what the worker then has recorded. */
function send(file: readonly Entry[], record: readonly Entry[], before = record): readonly Entry[] {
  const stored = (entries: readonly Entry[]): StoredSession => ({
    ...{ spec, status: 'sleeping', outcome: undefined, updated: timestamp, entries },
  })
  const base = { entries: before.map(entryKey), systemPrompt: contentKey(spec.systemPrompt) }
  const changes = localChanges(stored(file), stored(record), base)
  expect(changes?.edit).toBeUndefined()
  return (changes?.answers ?? []).reduce((now, { answer }) => cast(now, answer), record)
}

test('a vote reaches the worker with the names of those who no longer count', () => {
  const record = cast(asked, { decision: 'approve', by: 'ann', via: 'page' })
  // Ann has lost her role since.
  const file = cast(record, { decision: 'approve', by: 'bob', via: 'page', reason: 'fine', without: ['ann'] })
  expect(answerIn(file, name)).toBeUndefined()
  const sent = send(file, record)
  expect(answerIn(sent, name)).toBeUndefined()
  expect(sent).toEqual(file)
})

test.each([true, false])(
  'a person who changes their mind twice has said the last thing, with ids: %s',
  (hasIds) => {
    const decisions = ['again', 'done', 'again']
    const vote = (decision: string, index: number): Answer => ({
      ...{ decision, by: 'ann', via: 'page' },
      ...(hasIds && { id: String(index) }),
    })
    let record: readonly Entry[] = asked
    for (const [index, decision] of decisions.entries()) {
      const file = cast(record, vote(decision, index))
      const before = record
      record = send(file, record)
      // After a crash, it is sent again.
      expect(send(file, record, before)).toEqual(record)
    }
    // All at once.
    expect(send(record, asked)).toEqual(record)
    expect(answerIn(cast(record, { decision: 'done', by: 'bob', via: 'page' }), name)).toBeUndefined()
  },
)
