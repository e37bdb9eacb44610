import type { Entry } from '@cadre/core'
import { expect, test } from 'vitest'
import { readConversation } from './read-conversation.ts'

const of = { id: 's', agent: 'lead' }
const entries = (...drafts: readonly object[]) =>
  drafts.map(
    (draft, at) => ({ ...draft, seq: at + 1, timestamp: new Date(at * 1000).toISOString() }) as Entry,
  )
const call = (id: string, args = '{}') => ({
  id,
  type: 'function',
  function: { name: 'read_file', arguments: args },
})

test('shows messages and replies in order, with the state of each call', () => {
  const items = readConversation(
    of,
    entries(
      { role: 'user', content: 'Do it' },
      { role: 'assistant', content: 'I read.', tool_calls: [call('a'), call('b')] },
      { role: 'event', type: 'call.started', call: 'a', by: 'policy', rule: 'effects.read' },
      { role: 'event', type: 'call.refused', call: 'b', by: 'role', content: 'not yours' },
      { role: 'tool_result', tool_call_id: 'a', content: 'text' },
      { role: 'tool_result', tool_call_id: 'b', content: 'not yours', outcome: 'refused' },
      { role: 'user', from: 'cadre', content: 'Report, please' },
      { role: 'event', type: 'session.ended', report: { status: 'completed' } },
    ),
  )
  expect(items.map(({ kind, seq }) => [kind, seq])).toEqual([
    ['message', 1],
    ['reply', 2],
    ['message', 7],
    ['note', 8],
  ])
  expect(items[1]).toMatchObject({
    calls: [
      { id: 'a', status: 'done', verdict: { decision: 'allow', by: 'policy', rule: 'effects.read' } },
      { id: 'b', status: 'refused', verdict: { decision: 'deny', by: 'role', reason: 'not yours' } },
    ],
  })
  expect(items[2]).toMatchObject({ from: 'cadre' })
})

test('shows who approved a call', () => {
  const [reply] = readConversation(
    of,
    entries(
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'event', type: 'call.held', call: 'a', by: 'policy', rule: 'effects.write', content: 'writes' },
      { role: 'event', type: 'person.asked', call: 'a', name: 'approval/a', text: 'x', choices: [] },
      { role: 'event', type: 'person.answered', name: 'approval/a', decision: 'approve', by: 'ann' },
      { role: 'event', type: 'call.started', call: 'a', by: 'approval' },
    ),
  )
  expect(reply).toMatchObject({
    calls: [
      { status: 'running', person: { decision: 'approve', by: 'ann' }, held: { rule: 'effects.write' } },
    ],
  })
})

test('reads the last entries without those before them', () => {
  const items = readConversation(
    of,
    entries(
      { role: 'tool_result', tool_call_id: 'x', content: 'of a call that is not here' },
      { role: 'assistant', content: 'Next', tool_calls: [call('a')] },
      { role: 'tool_result', tool_call_id: 'a', content: 'text' },
    ),
  )
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({ kind: 'reply', calls: [{ id: 'a', status: 'done', content: 'text' }] })
})

test('keeps calls of different replies apart if another program has reused an id', () => {
  const items = readConversation(
    of,
    entries(
      { role: 'assistant', content: '1', tool_calls: [call('a', '"1"')] },
      { role: 'tool_result', tool_call_id: 'a', content: 'first' },
      { role: 'assistant', content: '2', tool_calls: [call('a', '"2"')] },
      { role: 'tool_result', tool_call_id: 'a', content: 'second' },
    ),
  )
  expect(items).toMatchObject([
    { calls: [{ input: '"1"', content: 'first' }] },
    { calls: [{ input: '"2"', content: 'second' }] },
  ])
})

test('marks replies that do not count, and replies of an earlier session, and takes no round from them', () => {
  const items = readConversation(
    of,
    entries(
      { role: 'assistant', content: 'old', earlier: true, tool_calls: [call('e')] },
      { role: 'assistant', content: 'late', asked: 9 },
      { role: 'assistant', content: 'now', tool_calls: [call('a')] },
      { role: 'tool_result', tool_call_id: 'a', content: 'text' },
    ),
  )
  expect(items).toMatchObject([
    { isEarlier: true, calls: [{ id: 'e', status: 'cancelled' }] },
    { isOutdated: true },
    { isOutdated: false, calls: [{ id: 'a', status: 'done' }] },
  ])
})

test('says why a session ended early, once', () => {
  const notices = [
    { code: 'rule', message: 'a rule was skipped' },
    { code: 'budget_exceeded', message: 'the budget does not allow another request' },
  ]
  const items = readConversation(
    of,
    entries(
      { role: 'user', content: 'Do it' },
      { role: 'event', type: 'notice.added', code: 'rule', content: 'a rule was skipped' },
      { role: 'event', type: 'session.ended', report: { status: 'incomplete', notices } },
    ),
  )
  expect(items.slice(1)).toMatchObject([
    { text: 'a rule was skipped' },
    { text: 'Ended: incomplete · the budget does not allow another request' },
  ])
})
