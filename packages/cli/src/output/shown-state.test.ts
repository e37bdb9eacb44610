import { applyToView, type CadreEvent, type EventBody, emptyView } from '@cadre/core'
import { expect, test } from 'vitest'
import { awaitedBy, shownState } from './shown-state.ts'

/** A lead with a worker that asks about a call. Both are suspended. */
function suspendedPair() {
  const view = emptyView()
  let seq = 0
  const add = (session: string, body: EventBody) =>
    applyToView(view, { ...body, session, at: '2026-01-01T00:00:00.000Z', seq: ++seq } as CadreEvent)
  const spec = { model: 'm', work: 'w', root: 'lead' }
  const calls = [{ id: 'c', name: 'deploy', input: '{}' }]
  const parent = { session: 'lead', call: 'd' }
  const question = 'approval/c'
  add('lead', { type: 'session.started', ...spec, agent: 'lead', depth: 0 })
  add('worker', { type: 'session.started', ...spec, agent: 'worker', depth: 1, parent })
  add('worker', { type: 'reply.received', round: 1, text: '', calls })
  return {
    view,
    add,
    ask: () => add('worker', { type: 'person.asked', question, call: 'c', text: 'Deploy?', choices: [] }),
    answer: () => add('worker', { type: 'person.answered', question, decision: 'approve' }),
    suspend() {
      for (const id of ['worker', 'lead']) add(id, { type: 'session.suspended', questions: [] })
    },
    shown: () =>
      [...view.sessions.values()].map((session) => [shownState(session, view), awaitedBy(session, view)]),
  }
}

test('a session waits for a decision, in itself or below, until there is one', () => {
  const pair = suspendedPair()
  pair.ask()
  pair.suspend()
  expect(pair.shown()).toEqual([
    ['waiting', 'child-decision'],
    ['waiting', 'decision'],
  ])
  pair.answer()
  pair.suspend()
  expect(pair.shown()).toEqual([
    ['waiting', 'resume-with-decision'],
    ['waiting', 'resume-with-decision'],
  ])
})

test('without a question, a suspended session is paused', () => {
  const pair = suspendedPair()
  pair.suspend()
  expect(pair.shown()).toEqual([
    ['paused', 'resume'],
    ['paused', 'resume'],
  ])
})

test('a session is stopped if it was working and no process runs it', () => {
  const { view } = suspendedPair()
  const [lead] = view.sessions.values()
  expect(lead && [shownState(lead, view, false), shownState(lead, view, true)]).toEqual([
    'working',
    'stopped',
  ])
})
