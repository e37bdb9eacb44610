import type { CadreEvent, EventBody } from '@cadre/core'
import { expect, test } from 'vitest'
import { createPlainLines } from './plain-lines.ts'

/** Returns the output for these events. */
function printed(...events: readonly [session: string, body: EventBody][]): string[] {
  const lines: string[] = []
  const surface = createPlainLines(
    (line) => lines.push(line),
    () => {},
  )
  events.forEach(([session, body], index) => {
    surface.event({ ...body, session, at: '2026-01-01T00:00:00.000Z', seq: index + 1 } as CadreEvent)
  })
  return lines
}

const start = (id: string, agent: string, more: object = {}): [string, EventBody] => [
  id,
  { type: 'session.started', agent, model: 'm', work: 'The first message.', root: id, depth: 0, ...more },
]

test('a resumed session shows its new message and its open calls', () => {
  const open = [{ id: 'c1', name: 'read_file', input: '{"path":"a.txt"}' }]
  expect(
    printed(
      start('lead-1', 'lead', { resumed: true, message: 'The second message.', open }),
      ['lead-1', { type: 'call.settled', call: 'c1', outcome: 'done', content: 'x' }],
      start('lead-1', 'lead', { resumed: true }),
    ),
  ).toEqual([
    'lead: resumed (session lead-1) The second message.',
    'lead: ← read_file a.txt done',
    'lead: resumed (session lead-1)',
  ])
})

test('a suspended session waits for a person only if it asked one', () => {
  expect(
    printed(
      start('lead-1', 'lead'),
      ['lead-1', { type: 'session.suspended', questions: ['approval/c1'] }],
      ['lead-1', { type: 'session.suspended', questions: [] }],
    ).slice(1),
  ).toEqual(['lead: suspended until a person decides', 'lead: paused by a shutdown'])
})

test('shows ids from the second session of an agent', () => {
  const queued: EventBody = { type: 'session.queued' }
  const lines = printed(
    start('Explore-4k2x9', 'Explore'),
    ['Explore-4k2x9', queued],
    start('Explore-7abcd', 'Explore'),
    ['Explore-4k2x9', queued],
    ['Explore-7abcd', queued],
  )
  expect(lines.map((line) => line.split(':', 1)[0])).toEqual([
    'Explore',
    'Explore',
    'Explore-7ab',
    'Explore-4k2',
    'Explore-7ab',
  ])
})

test('shows a background delegation as started, not done, and a report that is sent back', () => {
  const calls = [{ id: 'c1', name: 'delegate_task', input: '{"subagent_type":"worker"}' }]
  const stop = 'run the tests first (hook .claude/settings.json:3)'
  const text = 'The report lacks these sections: Key Findings, Risks. Give it again, complete.'
  expect(
    printed(
      start('lead-1', 'lead'),
      ['lead-1', { type: 'reply.received', round: 1, text: '', calls }],
      ['lead-1', { type: 'call.settled', call: 'c1', outcome: 'done', content: '', background: true }],
      ['lead-1', { type: 'message.added', from: 'cadre', text, nudge: 'sections', round: 1 }],
      ['lead-1', { type: 'message.added', from: 'cadre', text: 'More.' }],
      ['lead-1', { type: 'message.added', from: 'cadre', text: stop, nudge: 'stop', round: 1 }],
    ).slice(1),
  ).toEqual([
    'lead: ← delegate_task worker started',
    'lead: report sent back: lacks Key Findings, Risks',
    `lead: report sent back: ${stop}`,
  ])
})
