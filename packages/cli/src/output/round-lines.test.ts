import {
  applyToView,
  type CadreEvent,
  type EventBody,
  emptyView,
  type OutcomeKind,
  type View,
} from '@cadre/core'
import { expect, test } from 'vitest'
import { roundLines } from './round-lines.ts'
import { createStyle } from './style.ts'
import { textWidth } from './text-width.ts'

const at = '2026-01-01T00:00:00.000Z'

/** A session that calls a tool with each outcome and delegates to the next, to the given depth. */
function viewOf(depth: number, text = 'I look.'): View {
  const view = emptyView()
  let seq = 0
  const add = (session: string, body: EventBody) =>
    applyToView(view, { ...body, session, at, seq: ++seq } as CadreEvent)
  for (let level = 0; level <= depth; level++) {
    const id = `s${level}`
    const parent = level === 0 ? {} : { parent: { session: `s${level - 1}`, call: 'delegation' } }
    add(id, {
      type: 'session.started',
      agent: `agent-${level}`,
      model: 'm',
      work: 'w',
      root: 's0',
      depth: level,
      ...parent,
    })
    const read = { name: 'read_file', input: '{"path":"a.js"}' }
    const outcomes: OutcomeKind[] = ['done', 'failed', 'refused', 'in_doubt', 'cancelled']
    add(id, {
      type: 'reply.received',
      round: 1,
      text,
      calls: [
        ...outcomes.map((outcome) => ({ id: outcome, ...read })),
        { id: 'open', ...read },
        ...(level === depth
          ? []
          : [{ id: 'delegation', name: 'delegateWork', input: `{"agentName":"agent-${level + 1}"}` }]),
      ],
    })
    for (const outcome of outcomes)
      add(id, { type: 'call.settled', call: outcome, outcome, content: '\nwhy\x1b]0;x\x07\nmore' })
    add(id, { type: 'call.started', call: 'open', tool: 'read_file' })
    if (level < depth)
      add(id, { type: 'call.started', call: 'delegation', tool: 'delegateWork', child: `s${level + 1}` })
  }
  return view
}

const options = {
  columns: 100,
  rows: 1,
  now: Date.parse(at),
  style: createStyle(false),
  about: () => 'about',
}

test('shows sessions, rounds and calls with their outcomes, and children below the call that started them', () => {
  const lines = roundLines(viewOf(1, '\n\n  First line \x1b[31mred\nsecond'), 's0', options).map((line) =>
    line.replace(/ {2,}0 ms$/, ''),
  )
  expect(lines.map((line) => line.trimEnd())).toEqual([
    '● agent-0  about',
    '└─round 1  First line red',
    '  ├─✓ read_file a.js',
    '  ├─✗ read_file a.js  failed: why',
    '  ├─✗ read_file a.js  refused: why',
    '  ├─! read_file a.js  in doubt: why',
    '  ├─■ read_file a.js  cancelled',
    '  ├─● read_file a.js  running',
    '  └─● delegateWork agent-1  running',
    '    └─● agent-1  about',
    '      └─round 1  First line red',
    '        ├─✓ read_file a.js',
    '        ├─✗ read_file a.js  failed: why',
    '        ├─✗ read_file a.js  refused: why',
    '        ├─! read_file a.js  in doubt: why',
    '        ├─■ read_file a.js  cancelled',
    '        └─● read_file a.js  running',
  ])
})

test('shows unfinished calls as stopped if nothing is running', () => {
  const lines = roundLines(viewOf(0), 's0', { ...options, isStill: true })
  expect(lines.at(-1)).toBe('  └─■ read_file a.js  stopped')
})

test('does not show calls as stopped next to one that waits for a person', () => {
  const view = viewOf(1)
  const add = (session: string, body: EventBody) =>
    applyToView(view, { ...body, session, at, seq: 99 } as CadreEvent)
  add('s1', { type: 'person.asked', question: 'approval/x', call: 'x', text: 'May I?', choices: [] })
  for (const id of ['s1', 's0']) add(id, { type: 'session.suspended', questions: ['approval/x'] })
  const lines = roundLines(view, 's0', { ...options, isStill: true })
  expect(lines).toContain('  └─○ delegateWork agent-1  recorded once the decision is made')
  expect(lines.at(-1)).toBe('        └─○ read_file a.js  recorded once the decision is made')
})

test('shows unfinished calls of a paused session as paused', () => {
  const view = viewOf(0)
  applyToView(view, { type: 'session.suspended', questions: [], session: 's0', at, seq: 99 })
  const lines = roundLines(view, 's0', { ...options, isStill: true })
  expect(lines.at(-1)).toBe('  └─■ read_file a.js  paused')
})

test.each([10, 20, 49, 50, 80, 200])('no line is wider than %i columns, at any depth', (columns) => {
  const lines = roundLines(viewOf(9, '漢字 '.repeat(100)), 's0', {
    ...options,
    columns,
    style: createStyle(true),
  })
  expect(lines).toHaveLength(9 * 9 + 8)
  for (const line of lines) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours take no room.
    expect(textWidth(line.replace(/\x1b\[\d+m/g, ''))).toBeLessThanOrEqual(columns)
  }
})

test('shows a child whose call is missing from the record', () => {
  const view = viewOf(1)
  const add = (body: EventBody) => applyToView(view, { ...body, session: 's0', at, seq: 99 } as CadreEvent)
  add({ type: 'journal.edited', summary: 'cut', rounds: 0 })
  expect(
    roundLines(view, 's0', options)
      .slice(0, 3)
      .map((line) => line.slice(0, 13).trimEnd()),
  ).toEqual(['● agent-0  ab', '└─● agent-1', '  └─round 1'])
})
