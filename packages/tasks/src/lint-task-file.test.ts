import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rawOf } from '@cadre/disk'
import { expect, test } from 'vitest'
import { lintTaskFile } from './lint-task-file.ts'
import { readTaskFile } from './read-task-file.ts'

const good = '- [ ] "good"\n  id: good\n'

/** Each with the reported position. */
const table: [code: string, text: string, where: string][] = [
  ['TD001', '- [ ] A "never closed', '1:9 error'],
  ['TD002', "- [ ] 'never closed", '1:7 error'],
  ['TD003', '- [ ] `never closed', '1:7 error'],
  ['TD004', '- [?] "unknown marker"', '1:3 error'],
  ['TD005', '- [x]no space', '1:1 warning'],
  ['TD005', '  1. [ ] numbered', '1:3 warning'],
  ['TD006', '- [x] [-] "two markers"', '1:3 error'],
  ['TD010', '- [ ] ünd then @bob does it', '1:16 warning'],
  ['TD010', '- [ ] "title" @bob', '1:15 warning'],
  ['TD011', '- [ ] see #12', '1:11 warning'],
  ['TD011', '- [ ] "title" #x', '1:15 warning'],
  ['TD012', '- [ ] "title" A', '1:15 warning'],
  ['TD013', '- [ ] I should call', '1:7 warning'],
  ['TD020', '- [ ] no quotes due: today', '1:17 warning'],
  ['TD021', '- [ ] "title" text', '1:15 warning'],
  ['TD030', '- [ ] "a"\n   - [ ] "b"', '2:1 warning'],
  ['TD031', '- [ ] A @bob', '1:7 warning'],
  ['TD032', 'text\n  - [ ] "alone"', '2:1 warning'],
  ['TD033', '- [ ] "a"\n    - [ ] "b"', '2:1 warning'],
  ['TD034', '- [ ] "a"\n\t- [ ] "b"', '2:1 warning'],
  ['TD040', '- [ ] "a"\n  note: |', '2:9 warning'],
  ['TD041', '- [ ] "a"\n  note: one\n    two', '3:5 warning'],
  ['TD043', '- [ ] "a"\n```', '2:1 warning'],
  ['TD044', '- [ ] "a"\n  <!-- open', '2:3 warning'],
  ['TD050', '- [ ] "a"\n  id: x\n- [ ] "b" id: x', '3:11 error'],
  ['TD051', '- [ ] "a"\n  id: x\n  id: y', '3:3 error'],
  ['TD052', '- [ ] "a"\n  id: two words', '2:3 warning'],
  ['TD060', '- [ ] "a"\n  status: failed', '2:3 warning'],
  ['TD061', '- [ ] "a"\n  id: a\n  - [ ] "b"\n    parent: c', '4:5 warning'],
  ['TD100', '- [ ] "a" note: two words', '1:11 warning'],
]

test.each(table)('reports %s for %j at %s, and hides no other task', (code, text, where) => {
  const raw = rawOf(`${text}\n\n${good}`)
  const { tasks, problems } = readTaskFile(raw)
  expect(problems).toEqual(lintTaskFile(raw))
  const found = problems.map((one) => `${one.code} ${one.line}:${one.column} ${one.severity}`)
  expect(found).toContain(`${code} ${where}`)
  for (const { message } of problems) expect(message).toMatch(/\.$|\?$/)
  expect(tasks.at(-1)?.id).toBe('good')
})

test('the documentation lists exactly these codes', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/tasks.md'), 'utf8')
  const said = new Set([...page.matchAll(/^\| `(TD\d+)`/gm)].map(([, code]) => code))
  const known = new Set([...table.map(([code]) => code), 'TD900', 'TD901', 'TD902', 'TD903'])
  expect([...said].sort()).toEqual([...known].sort())
})

test('reports a duplicate id on the second task, even if it is quoted or empty', () => {
  const codes = (text: string) => lintTaskFile(text).map(({ code, line }) => `${code} ${line}`)
  expect(codes('- [ ] "a"\n  id: x\n- [ ] "b"\n  id: "x"\n- [ ] "c"\n  id: x\n')).toEqual([
    'TD050 4',
    'TD050 6',
  ])
  expect(codes('- [ ] "a"\n  id: 7\n- [ ] "b"\n  id: 07\n')).toEqual([])
})
