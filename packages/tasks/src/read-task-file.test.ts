import { rawOf } from '@cadre/disk'
import { expect, test } from 'vitest'
import { readTaskFile } from './read-task-file.ts'

function read(text: string) {
  return readTaskFile(rawOf(text))
}

function one(text: string) {
  const { tasks } = read(text)
  expect(tasks).toHaveLength(1)
  return tasks[0]!
}

test('reads an approval', () => {
  const { tasks, problems } = read(`## TODO

- [_] A @human #approval \`Approve command: docker ps\`
  id: approval-1759622866331-8228eefd
  type: approval_request
  approval_type: terminal_command
  agent: executor-001
  created: 2025-10-05T00:07:46.331Z
  risk: MEDIUM
  status: pending
  description: |
    Approval Request: terminal_command
    Risk Level: MEDIUM
    Risk Factors:
      - System-modifying command: docker
    
    Details:
      Command: docker ps
    
    To approve: Update this task:
      1. Change [_] to [x]
      2. Add: approved_by: <your-name>
`)
  expect(problems).toEqual([])
  expect(tasks).toHaveLength(1)
  const [task] = tasks
  expect(task).toMatchObject({
    id: 'approval-1759622866331-8228eefd',
    line: 3,
    state: 'open',
    priority: 'A',
    who: ['human'],
    tags: ['approval'],
    title: 'Approve command: docker ps',
    section: 'TODO',
    depth: 0,
    parent: undefined,
    dependsOn: [],
  })
  expect([...(task?.fields ?? [])].slice(0, 8)).toEqual([
    ['id', 'approval-1759622866331-8228eefd'],
    ['type', 'approval_request'],
    ['approval_type', 'terminal_command'],
    ['agent', 'executor-001'],
    ['created', '2025-10-05T00:07:46.331Z'],
    ['risk', 'MEDIUM'],
    ['status', 'pending'],
    [
      'description',
      'Approval Request: terminal_command\nRisk Level: MEDIUM\nRisk Factors:\n  - System-modifying command: docker\n\nDetails:\n  Command: docker ps\n\nTo approve: Update this task:\n  1. Change [_] to [x]\n  2. Add: approved_by: <your-name>',
    ],
  ])
})

const plan = `## TODO

- [x] A @planner-001 #redis "Plan Redis check workflow"
  id: task-001
  created: 2025-10-04T10:00:00Z
  completed: 2025-10-04T10:05:00Z
  
  - [ ] B @retriever-001 #system "Detect container runtime"
    id: task-002
    parent: task-001
    assigned: 2025-10-04T10:05:00Z
    
  - [ ] C @executor-001 #docker "Check Redis container status"
    id: task-003
    parent: task-001
    depends_on: task-002
    approval_required: true

- [ ] A @evaluator-001 "Validate Redis check result"
  id: task-004
  depends_on: task-003
`

test('reads an agent’s plan with its steps', () => {
  const { tasks, problems } = read(plan)
  expect(problems).toEqual([])
  expect(tasks.map(({ fields, ...task }) => ({ ...task, fields: Object.fromEntries(fields) }))).toEqual([
    {
      id: 'task-001',
      line: 3,
      state: 'done',
      priority: 'A',
      who: ['planner-001'],
      tags: ['redis'],
      title: 'Plan Redis check workflow',
      parent: undefined,
      dependsOn: [],
      section: 'TODO',
      depth: 0,
      fields: { id: 'task-001', created: '2025-10-04T10:00:00Z', completed: '2025-10-04T10:05:00Z' },
    },
    {
      id: 'task-002',
      line: 8,
      state: 'open',
      priority: 'B',
      who: ['retriever-001'],
      tags: ['system'],
      title: 'Detect container runtime',
      parent: 'task-001',
      dependsOn: [],
      section: 'TODO',
      depth: 1,
      fields: { id: 'task-002', parent: 'task-001', assigned: '2025-10-04T10:05:00Z' },
    },
    {
      id: 'task-003',
      line: 13,
      state: 'open',
      priority: 'C',
      who: ['executor-001'],
      tags: ['docker'],
      title: 'Check Redis container status',
      parent: 'task-001',
      dependsOn: ['task-002'],
      section: 'TODO',
      depth: 1,
      fields: { id: 'task-003', parent: 'task-001', depends_on: 'task-002', approval_required: 'true' },
    },
    {
      id: 'task-004',
      line: 19,
      state: 'open',
      priority: 'A',
      who: ['evaluator-001'],
      tags: [],
      title: 'Validate Redis check result',
      parent: undefined,
      dependsOn: ['task-003'],
      section: 'TODO',
      depth: 0,
      fields: { id: 'task-004', depends_on: 'task-003' },
    },
  ])
})

test('CRLF, a byte order mark, a missing last line ending and bytes of another encoding make no difference', () => {
  const expected = read(plan).tasks
  expect(read(plan.replaceAll('\n', '\r\n')).tasks).toEqual(expected)
  expect(read(`\ufeff${plan}`).tasks).toEqual(expected)
  expect(read(plan.trimEnd()).tasks).toEqual(expected)
  const foreign = '\u00fc\u0080\u00ff text of Windows\n\n'
  const after = readTaskFile(foreign + rawOf(plan)).tasks
  expect(after).toEqual(expected.map((task) => ({ ...task, line: task.line + 2 })))
  expect(one('\ufeff- [x] "First line"').title).toBe('First line')
})

test.each([
  ['[ ]', 'open'],
  ['[_]', 'open'],
  ['[~]', 'running'],
  ['[x]', 'done'],
  ['[X]', 'done'],
  ['[-]', 'skipped'],
])('%s is %s, with any bullet', (marker, state) => {
  for (const bullet of ['-', '*', '+']) {
    const { tasks, problems } = read(`${bullet} ${marker} A @bob #x "Title"\n  id: 1\n`)
    expect(problems).toEqual([])
    expect(tasks[0]).toMatchObject({
      state,
      priority: 'A',
      who: ['bob'],
      tags: ['x'],
      title: 'Title',
      id: '1',
    })
  }
})

test('a skipped task with status failed has failed; otherwise the marker takes precedence over the status', () => {
  expect(one('- [-] "a"\n  status: failed').state).toBe('failed')
  expect(one('- [-] "a" status: failed').state).toBe('failed')
  expect(one('- [ ] "a"\n  status: failed').state).toBe('open')
  expect(one('- [x] "a"\n  status: failed').state).toBe('done')
})

test('a line without a marker is not a task, and hides nothing', () => {
  const { tasks, problems } = read(
    '- [?] @bob "a"\n  id: a\n- [] "b"\n- [RFC 12] c\n  id: c\n- [ ] "d"\n  - [ ] "e"\n',
  )
  expect(tasks.map(({ title }) => title)).toEqual(['d', 'e'])
  expect(problems.map(({ code, line }) => [code, line])).toEqual([
    ['TD004', 1],
    ['TD004', 3],
  ])
})

test('a task with two markers is closed if either marker closes it', () => {
  expect(one('- [x] [-] "a"')).toMatchObject({ state: 'done', title: 'a' })
  expect(one('- [ ] [x] "a"')).toMatchObject({ state: 'done', title: 'a' })
})

test('ids and values are always text', () => {
  for (const id of ['1234e567', '007', '1', 'true', 'null', '1.50', '0x10']) {
    expect(one(`- [ ] "a"\n  id: ${id}`).id).toBe(id)
    expect(one(`- [ ] "a" id: ${id}`).id).toBe(id)
    expect(one(`- [ ] "a"\n  id: "${id}"`).id).toBe(id)
  }
})

test('two tasks with the same title are separate, and get no ids automatically', () => {
  expect(read('- [ ] "same"\n- [ ] "same"').tasks.map(({ id }) => id)).toEqual([undefined, undefined])
})

test.each([
  ['A @a #b "Say \\"hi\\" to C:\\temp"', 'Say "hi" to C:\\temp'],
  ['"Say "hi" now"', 'Say "hi" now'],
  ["'don't panic'", "don't panic"],
  ["'the users' choice' id: x", "the users' choice"],
  ['`docker ps --filter "name=redis"`', 'docker ps --filter "name=redis"'],
  ['@a B #c Title without quotes', 'Title without quotes'],
  ['Note: call Bob', 'Note: call Bob'],
  ['Check the status: is it green?', 'Check the status: is it green?'],
  ['Read parent: of all nodes', 'Read parent: of all nodes'],
  ['See https://example.org/a: b', 'See https://example.org/a: b'],
  ['Fix it id: t-1 due: 2025-01-01', 'Fix it'],
  ['Fix it depends_on: a, b', 'Fix it'],
  ['Mail bob@example.org about #12', 'Mail bob@example.org about #12'],
  ['title: "By a field"', 'By a field'],
  ['[link](https://example.org) to read', '[link](https://example.org) to read'],
  ['"', '"'],
  ['""', ''],
  ['', ''],
])('the title of `- [ ] %s` is %j', (head, title) => {
  expect(one(`- [ ] ${head}`).title).toBe(title)
})

test('a title can be a field below the line', () => {
  expect(one('- [ ] A @a\n  title: Below\n').title).toBe('Below')
})

test('fields on the line of the task', () => {
  const task = one(
    '- [ ] A "T" id: 7 note: "two words" list: a, b,c said: \'it\'\'s\' code: `x y` @late #tag empty: spaced: one two three last: z\n  more: below\n',
  )
  expect(Object.fromEntries(task.fields)).toEqual({
    id: '7',
    note: 'two words',
    list: 'a, b,c',
    said: "it's",
    code: 'x y',
    empty: '',
    spaced: 'one two three',
    last: 'z',
    more: 'below',
  })
  expect(task).toMatchObject({ who: ['late'], tags: ['tag'] })
})

test('several people and tags, in any order, with commas between', () => {
  expect(one('- [ ] @a, #x B @b @c #y "T"')).toMatchObject({
    who: ['a', 'b', 'c'],
    tags: ['x', 'y'],
    priority: 'B',
  })
})

test('reads literal, folded and explicitly indented blocks', () => {
  const task = one(`- [ ] "T"
  kept: |
    one

      two
    three\u0020\u0020
  dashed: |-
    x
  folded: >
    one
    two

    three
  indented: |2
      deep
  empty: |
  last: end
`)
  expect(Object.fromEntries(task.fields)).toEqual({
    kept: 'one\n\n  two\nthree  ',
    dashed: 'x',
    folded: 'one two\nthree',
    indented: '  deep',
    empty: '',
    last: 'end',
  })
})

test('a field after subtasks is part of the task with its indentation', () => {
  const { tasks } = read('- [ ] "a"\n  - [ ] "b"\n    - [ ] "c"\n      x: c\n    x: b\n  x: a\n')
  expect(tasks.map(({ title, fields }) => [title, fields.get('x')])).toEqual([
    ['a', 'a'],
    ['b', 'b'],
    ['c', 'c'],
  ])
})

test('nesting by any indentation, tabs too', () => {
  const { tasks } = read(
    '- [ ] "a"\n  id: a\n\t- [ ] "b"\n\t\tid: b\n    - [ ] "c"\n      id: c\n        - [ ] "d"\n   - [ ] "e"\n  - [ ] "f"\n',
  )
  expect(tasks.map(({ title, parent, depth }) => [title, parent, depth])).toEqual([
    ['a', undefined, 0],
    ['b', 'a', 1],
    ['c', 'b', 2],
    ['d', 'c', 3],
    ['e', 'b', 2],
    ['f', 'a', 1],
  ])
})

test('sections are headings of any level; tasks outside sections count too', () => {
  const { tasks } = read(
    '- [ ] "a"\n# One #\n- [ ] "b"\ntext\n### Two: *x*\n\n- [ ] "c"\n  ## not a heading\n- [ ] "d"\n',
  )
  expect(tasks.map(({ title, section }) => [title, section])).toEqual([
    ['a', ''],
    ['b', 'One'],
    ['c', 'Two: *x*'],
    ['d', 'Two: *x*'],
  ])
})

test('code and comments are not tasks; an unclosed delimiter hides nothing', () => {
  const { tasks, problems } = read(`- [ ] "a"
\`\`\`md
- [ ] "in code"
\`\`\`
<!--
- [ ] "in a comment"
-->
- [ ] "b"
  \`\`\`
  - [ ] "in code of b"
- [ ] "c"
~~~
- [ ] "d"
  description: |
    ~~~
- [ ] "e"
<!-- never closed
- [ ] "f"
`)
  expect(tasks.map(({ title }) => title)).toEqual(['a', 'b', 'in code of b', 'c', 'd', 'e', 'f'])
  expect(problems.map(({ code, line }) => [code, line])).toEqual([
    ['TD043', 9],
    ['TD043', 12],
    ['TD044', 17],
  ])
})

test('text around tasks is not part of a task', () => {
  const { tasks } = read(
    'Intro\n  id: nobody\n- [ ] "a"\nText\n  id: nobody\n> - [ ] quoted\n1. [ ] numbered\n- plain\n  id: nobody\n',
  )
  expect(tasks.map(({ title, id }) => [title, id])).toEqual([['a', undefined]])
})

test('a file full of open quotes and delimiters is not slower to read', () => {
  for (const part of ['~~~\n', '  - [ ] "\n    ```\n', '<!--\n', '- [ ] "T" a: "b a: "b\n'])
    expect(read(part.repeat(5_000)).tasks.length).toBeGreaterThanOrEqual(0)
  for (const part of ['a: "b ', '" ', 'id: ', '@a ', '\\"', ' x: '])
    expect(one(`- [ ] "T" ${part.repeat(5_000)}`).line).toBe(1)
  expect(one(`- [ ] "T"\n  note: a${' '.repeat(100_000)}b`).fields.get('note')).toHaveLength(100_002)
})
