import { expect, test } from 'vitest'
import { textTable } from './text-table.ts'
import { textWidth } from './text-width.ts'

const head = ['NAME', 'PLACE', 'WHAT']
const rows = [
  ['a-rather-long-name', '.github/agents/lead.agent.md', 'x'.repeat(90)],
  ['b', '.claude/agents/b.md', '説明'.repeat(20)],
]

test('cuts nothing without a width', () => {
  expect(textTable(head, rows)).toContain('x'.repeat(90))
})

test('no line is wider than the terminal, and the first column is never cut', () => {
  for (const columns of [40, 60, 80, 120]) {
    const lines = textTable(head, rows, columns).trimEnd().split('\n')
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns)
    expect(lines[1]).toMatch(/^a-rather-long-name {2}\S/)
    expect(lines[1]).toMatch(/…$/)
  }
  expect(textTable(head, rows, 80)).toContain('.github/agents/lead.agent.md')
})

test('prints what fits on a very narrow terminal', () => {
  expect(textTable(head, rows, 1)).toMatch(/^a-rather-long-name {2}\.github… {2}x{7}…$/m)
})

test('omits empty columns only if the table is too wide', () => {
  const wide = ['NAME', 'MODEL', 'WHAT']
  const cells = [
    ['a', '', 'does this and that'],
    ['b', '', ''],
  ]
  expect(textTable(wide, cells)).toMatch(/^NAME {2}MODEL {2}WHAT\n/)
  expect(textTable(wide, cells, 25)).toBe('NAME  WHAT\na     does this and that\nb\n')
})
