import type { Draft, Entry } from '@cadre/core'
import { expect, it } from 'vitest'
import { emitJournal, specOf, timestamp } from './journal.spec-helpers.ts'
import { readJournal } from './read-journal.ts'
import { truncateJournal } from './truncate-journal.ts'

const now = '2026-01-02T03:04:05.678Z'
const report = { type: 'report', status: 'completed', text: 'ok' }
const fn = { name: 'write_file', arguments: '{"path":"ä.txt"}' }

function bytesOf(drafts: readonly Draft[]): Buffer {
  const entries = drafts.map((draft, index) => ({ seq: index + 1, timestamp, ...draft }) as Entry)
  return Buffer.from(emitJournal(entries, specOf('s')))
}

const drafts: Draft[] = [
  { role: 'user', content: 'Grüße 💩' },
  { role: 'assistant', content: 'Ich schreibe.', tool_calls: [{ id: 'c1', type: 'function', function: fn }] },
  { role: 'event', type: 'call.started', call: 'c1' },
  { role: 'tool_result', tool_call_id: 'c1', content: 'written' },
  { role: 'assistant', content: 'ok' },
  { role: 'event', type: 'session.ended', report },
  { role: 'event', type: 'session.resumed' },
  { role: 'user', content: 'more' },
]

function read(bytes: Buffer) {
  const options = { path: 's.session.yaml', id: 's', workspace: () => '/' }
  return readJournal(bytes, options)
}

it.each([
  [8, 7, 'completed', 'completed'],
  [7, 7, 'completed', 'completed'],
  [6, 6, 'active', undefined],
  [5, 5, 'active', undefined],
  [4, 2, 'active', undefined],
  [3, 2, 'active', undefined],
  [2, 2, 'active', undefined],
])(
  'from entry %i, removes those from %i on, and the rest stays byte for byte',
  (seq, from, status, outcome) => {
    const before = bytesOf(drafts)
    const cut = truncateJournal(before, seq, now)
    expect(cut.removed[0]?.seq).toBe(from)
    expect([...cut.kept, ...cut.removed]).toHaveLength(drafts.length)
    const journal = read(cut.bytes)
    expect(journal).toMatchObject({ status, outcome, updated: now })
    expect(journal?.entries).toEqual(read(before)?.entries.slice(0, from - 1))
    const entries = (bytes: Buffer) => bytes.subarray(bytes.indexOf('messages:'))
    expect(entries(before).subarray(0, entries(cut.bytes).length)).toEqual(entries(cut.bytes))
  },
)

it('removes an incomplete last entry and entries of a person too', () => {
  const whole = bytesOf(drafts.slice(0, 5)).toString()
  const edited = Buffer.from(
    `${whole}  # a remark\n  - role: user\n    content: by hand\n  - seq: 7\n    times`,
  )
  const cut = truncateJournal(edited, 6, now)
  expect(cut.removed).toMatchObject([{ seq: 6, content: 'by hand' }])
  expect(cut.bytes.length).toBe(Buffer.byteLength(whole))
})

it('refuses to remove everything, unknown entries, and files in another format', () => {
  const bytes = bytesOf(drafts)
  expect(() => truncateJournal(bytes, 1, now)).toThrow('which cannot be removed')
  expect(() => truncateJournal(bytes, 9, now)).toThrow('there is no entry 9. The last entry is 8.')
  const foreign = Buffer.from('agent_id: a\nmessages:\n  - role: user\n    content: x\n')
  expect(() => truncateJournal(foreign, 1, now)).toThrow("not in Cadre's format")
})

it('removes the whole round with a decision of a person, so that no rejection goes while approvals stay', () => {
  const call = { call: 'c1', name: 'approval/c1' }
  const voted = (by: string, decision: string): Draft => ({
    role: 'event',
    type: 'person.voted',
    name: call.name,
    by,
    decision,
    via: 'page',
  })
  const asked: Draft[] = [
    ...drafts.slice(0, 2),
    {
      role: 'event',
      type: 'person.asked',
      ...call,
      kind: 'approval',
      text: '',
      choices: ['approve', 'reject'],
    },
    voted('ann', 'approve'),
    voted('bob', 'reject'),
    { role: 'event', type: 'person.answered', name: call.name, decision: 'reject', by: 'bob' },
  ]
  for (const seq of [4, 5, 6]) expect(truncateJournal(bytesOf(asked), seq, now).kept).toHaveLength(1)
})
