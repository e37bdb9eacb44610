import { applyToView, type CadreEvent, type EventBody, emptyView, type View } from '@cadre/core'
import { expect, test } from 'vitest'
import { createStyle } from './style.ts'
import { textWidth } from './text-width.ts'
import { summaryLine, treeLines } from './tree-lines.ts'

const at = '2026-01-01T00:00:00.000Z'
const style = createStyle(false)

/** A lead with children, possibly ended, each with a child. */
function viewOf(children: readonly ('working' | 'completed' | 'error' | 'queued')[]): View {
  const view = emptyView()
  let seq = 0
  const add = (session: string, body: EventBody) =>
    applyToView(view, { ...body, session, at, seq: ++seq } as CadreEvent)
  const start = (session: string, agent: string, parent?: string) =>
    add(session, {
      type: 'session.started',
      agent,
      model: 'm',
      work: 'w',
      root: 'lead',
      depth: parent === undefined ? 0 : 1,
      ...(parent && { parent: { session: parent, call: 'c' } }),
    })
  const end = (session: string, status: 'completed' | 'error') => {
    add(session, { type: 'reply.received', round: 1, text: '', calls: [], usage: { input: 10, output: 5 } })
    add(session, {
      type: 'session.ended',
      report: {
        type: 'report',
        session,
        agent: 'a',
        status,
        text: '',
        model: 'm',
        usage: { input: 10, output: 5 },
        sessions: 1,
        calls: 0,
      },
    })
  }
  start('lead', 'lead')
  children.forEach((state, index) => {
    start(`c${index}`, `child-${index}`, 'lead')
    start(`g${index}`, `below-${index}`, `c${index}`)
    if (state === 'queued') add(`c${index}`, { type: 'session.queued' })
    if (state === 'completed' || state === 'error') {
      end(`g${index}`, 'completed')
      end(`c${index}`, state)
    }
  })
  return view
}

const options = { columns: 60, rows: 100, now: Date.parse(at) + 2000, style }

test('shows the delegations', () => {
  const lines = treeLines(viewOf(['completed', 'working']), ['lead'], options).map((line) =>
    line.slice(0, 24).trimEnd(),
  )
  expect(lines).toEqual([
    '● lead         starting',
    '├─✓ child-0    completed',
    '│ └─✓ below-0  completed',
    '└─● child-1    starting',
    '  └─● below-1  starting',
  ])
})

test('folds ended sessions if the screen is too low, and cuts the rest', () => {
  const view = viewOf(['completed', 'completed', 'error', 'working', 'queued'])
  const names = (rows: number) =>
    treeLines(view, ['lead'], { ...options, rows }).map((line) =>
      line.replace(/(\S) {2,}.*$/, '$1').trimEnd(),
    )
  expect(names(11)).toHaveLength(11)
  expect(names(8)).toEqual([
    '● lead',
    '├─✓ child-0',
    '├─✓ child-1',
    '├─✗ child-2',
    '├─● child-3',
    '│ └─● below-3',
    '└─○ child-4',
    '  └─● below-4',
  ])
  expect(names(7)).toEqual([
    '● lead',
    '├─… 2 completed, 1 not',
    '├─● child-3',
    '│ └─● below-3',
    '└─○ child-4',
    '  └─● below-4',
  ])
  expect(names(3)).toEqual(['● lead', '├─… 2 completed, 1 not', '… 4 more lines'])
  for (let rows = 1; rows < 12; rows++) expect(names(rows).length).toBeLessThanOrEqual(rows)
})

test.each([20, 30, 49, 50, 80, 200])('no line is wider than %i columns', (columns) => {
  const view = viewOf(['completed', 'working'])
  for (const session of view.sessions.values())
    Object.assign(session, { agent: `漢字 ${session.agent} with a name that is long` })
  for (const line of treeLines(view, ['lead'], { ...options, columns }))
    expect(textWidth(line)).toBeLessThanOrEqual(columns)
})

test('the summary counts every session once', () => {
  expect(summaryLine(viewOf(['completed', 'working', 'queued']), 'hint')).toBe(
    '7 sessions · 4 running · 1 queued · 30 tokens · hint',
  )
})

test('a resumed session shows the call that it continues, not that it is starting', () => {
  const view = emptyView()
  const add = (body: EventBody) =>
    applyToView(view, { ...body, session: 'lead', at, seq: view.sessions.size } as CadreEvent)
  const open = [{ id: 'c', name: 'execute_command', input: '{"command":"sleep 63"}', round: 2 }]
  const spec = { agent: 'lead', model: 'm', work: 'w', root: 'lead', depth: 0 }
  add({ type: 'session.started', ...spec, resumed: true, open })
  const line = () => treeLines(view, ['lead'], { ...options, columns: 100 })[0]
  expect(line()).toContain('round 2')
  add({ type: 'call.started', call: 'c', tool: 'execute_command' })
  expect(line()).toContain('round 2 · execute_command sleep 63')
})
