import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createProject, type Project } from './support/project.ts'

const guide = readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', 'queries.md'), 'utf8')
const seed = /```markdown\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''

const withTasks = (files: Record<string, string> = {}) => createProject({ 'redis.task.md': seed, ...files })
const rows = async (project: Project, query: string) => {
  const { code, stdout, stderr } = await project.cadre(['tasks', query, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Record<string, unknown>[]
}

test('the examples of the guide run, one after the other in one folder', async () => {
  const sample = /```sh\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
  const queries = [...sample.matchAll(/^cadre tasks "(.*)"$/gm)].map(([, query = '']) => query)
  expect(queries.length).toBeGreaterThan(8)
  const project = withTasks()
  for (const query of queries) {
    const { code, stdout, stderr } = await project.cadre(['tasks', query])
    expect([query, code, stderr]).toEqual([query, 0, ''])
    expect(stdout).not.toMatch(/No matching tasks|^(Updated|Deleted) 0/)
  }
})

test('prints rows in aligned columns, and as JSON', async () => {
  const project = withTasks()
  const query =
    "SELECT id, who, title FROM redis.task.md WHERE NOT completed AND priority IN ('A', 'C') ORDER BY id DESC"
  const { stdout } = await project.cadre(['tasks', query])
  expect(stdout).toBe(
    'ID        WHO            TITLE\n' +
      'task-004  evaluator-001  Validate Redis check result\n' +
      'task-003  executor-001   Check Redis container status\n',
  )
  expect(await rows(project, query)).toEqual([
    { id: 'task-004', who: ['evaluator-001'], title: 'Validate Redis check result' },
    { id: 'task-003', who: ['executor-001'], title: 'Check Redis container status' },
  ])
  expect(await rows(project, "SELECT * FROM redis.task.md WHERE id = 'task-003'")).toEqual([
    {
      id: 'task-003',
      title: 'Check Redis container status',
      state: 'open',
      completed: false,
      skipped: false,
      priority: 'C',
      who: ['executor-001'],
      tags: ['docker'],
      parent: 'task-001',
      depends_on: ['task-002'],
      section: 'TODO',
      file: 'redis.task.md',
      line: 13,
      depth: 1,
      approval_required: 'true',
    },
  ])
  expect((await project.cadre(['tasks', 'SELECT id FROM redis.task.md LIMIT 0'])).stdout).toBe(
    'No matching tasks.\n',
  )
  expect(await rows(project, 'SELECT id FROM redis.task.md LIMIT 0')).toEqual([])
})

test('an update changes only its own bytes', async () => {
  const project = withTasks()
  const updated = await project.cadre([
    'tasks',
    "UPDATE redis.task.md SET completed = TRUE WHERE id = 'task-002'",
  ])
  expect([updated.stdout, updated.code]).toEqual(['Updated 1 task\n', 0])
  expect(project.read('redis.task.md')).toBe(seed.replace('[ ] B', '[x] B'))
  const many = await project.cadre([
    'tasks',
    '--json',
    "UPDATE *.task.md SET note = 'two words' WHERE NOT completed",
  ])
  expect(many.json()).toEqual([{ updated: 2 }])
  expect(await rows(project, "SELECT id FROM redis.task.md WHERE note = 'two words'")).toEqual([
    { id: 'task-003' },
    { id: 'task-004' },
  ])
})

test('an insert creates a file, or a subtask; ids are generated and never reused', async () => {
  const project = withTasks()
  const made = await project.cadre([
    'tasks',
    '--json',
    "INSERT INTO new.task.md SET title = 'A ''quoted'' thing', tags = ('a', 'b'), due = 5",
  ])
  const [{ id = '' } = {}] = made.json() as { id?: string }[]
  expect(id).toMatch(/^task-[0-9a-f]{8}$/)
  expect(await rows(project, 'SELECT id, title, tags, due, state FROM new.task.md')).toEqual([
    { id, title: "A 'quoted' thing", tags: ['a', 'b'], due: '5', state: 'open' },
  ])
  const below = await project.cadre([
    'tasks',
    "INSERT INTO redis.task.md SET title = 'Below', parent = 'task-004', id = 'task-005'",
  ])
  expect(below.stdout).toBe('Inserted 1 task: task-005\n')
  expect(await rows(project, "SELECT id, depth FROM redis.task.md WHERE parent = 'task-004'")).toEqual([
    { id: 'task-005', depth: 1 },
  ])
  const taken = await project.cadre(['tasks', "INSERT INTO new.task.md SET title = 'x', id = 'task-004'"])
  expect(taken.stderr).toContain('task-004')
  expect(taken.code).toBe(2)
})

test('a deletion removes exactly the matching tasks, and no unmatched subtasks', async () => {
  const project = withTasks()
  const refused = await project.cadre(['tasks', 'DELETE FROM redis.task.md WHERE completed'])
  expect(refused.stderr).toContain('task-002')
  expect(refused.code).toBe(2)
  expect(project.read('redis.task.md')).toBe(seed)
  const tree = await project.cadre([
    'tasks',
    "DELETE FROM redis.task.md WHERE completed OR parent = 'task-001'",
  ])
  expect(tree.stdout).toBe('Deleted 3 tasks\n')
  expect(await rows(project, 'SELECT id FROM redis.task.md')).toEqual([{ id: 'task-004' }])
})

test('INTO keeps the hierarchy, and never overwrites', async () => {
  const project = withTasks()
  const query =
    "SELECT * FROM redis.task.md WHERE id IN ('task-001', 'task-003', 'task-004') INTO copy.task.md"
  expect((await project.cadre(['tasks', query])).stdout).toBe('Wrote 3 tasks to copy.task.md\n')
  expect(await rows(project, 'SELECT id, parent, depth, completed_at FROM copy.task.md')).toEqual([
    { id: 'task-001', parent: null, depth: 0, completed_at: '2025-10-04T10:05:00Z' },
    { id: 'task-003', parent: 'task-001', depth: 1, completed_at: null },
    { id: 'task-004', parent: null, depth: 0, completed_at: null },
  ])
  expect((await project.cadre(['tasks', '--lint', 'copy.task.md'])).code).toBe(0)
  const again = await project.cadre(['tasks', query])
  expect(again.stderr).toContain('copy.task.md')
  expect(again.code).toBe(2)
})

test.each([
  ['SELECT * FORM redis.task.md', 'Did you mean FROM?', 9],
  ['UPDATE redis.task.md SET completed = TRUE', 'WHERE id IS NOT NULL', 41],
  ['SELECT * FROM rdis.task.md', 'Did you mean redis.task.md?', 14],
  ["UPDATE redis.task.md SET id = 'x' WHERE completed", 'Cannot set id', 25],
  ["UPDATE redis.task.md SET state = 'dnoe' WHERE completed", 'Did you mean done', 33],
  ["INSERT INTO redis.task.md SET priority = 'A'", 'needs a title', 30],
  ["INSERT INTO a/b/c.task.md SET title = 'A'", 'no folder a/b', 12],
])('%s is reported with its position, exits with 2 and changes nothing', async (query, sentence, at) => {
  const project = withTasks()
  const { code, stdout, stderr } = await project.cadre(['tasks', query])
  const [said, shown, caret] = stderr.split('\n')
  expect(said).toContain(sentence)
  expect([shown, caret]).toEqual([`  ${query}`, `  ${' '.repeat(at)}^`])
  expect([code, stdout]).toEqual([2, ''])
  const json = await project.cadre(['tasks', query, '--json'])
  expect(json.json()).toEqual([
    { type: 'error', code: 'usage', message: expect.stringContaining(sentence), column: at + 1 },
  ])
  expect(json.code).toBe(2)
  expect(project.read('redis.task.md')).toBe(seed)
  expect(project.listing()).toHaveLength(1)
})

const approval =
  '## TODO\n\n- [_] A @human #approval `Approve command: docker ps`\n  id: approval-1-8228eefd\n  type: approval_request\n  status: pending\n'

test('approvals are shown and never changed', async () => {
  const project = withTasks({
    'approvals.task.md': approval,
    'mixed.task.md': approval.replace('approval-1', 'approval-2'),
  })
  expect(
    await rows(project, "SELECT id FROM approvals.task.md WHERE type = 'approval_request'"),
  ).toHaveLength(1)
  for (const query of [
    'UPDATE approvals.task.md SET completed = TRUE WHERE id IS NOT NULL',
    'DELETE FROM approvals.task.md WHERE id IS NOT NULL',
    "INSERT INTO approvals.task.md SET title = 'x'",
    'SELECT * FROM redis.task.md INTO Approvals.task.md',
    'UPDATE mixed.task.md SET completed = TRUE WHERE id IS NOT NULL',
    "INSERT INTO redis.task.md SET title = 'x', type = 'approval_request'",
    "UPDATE redis.task.md SET type = 'approval_request' WHERE id IS NOT NULL",
  ]) {
    const { code, stderr } = await project.cadre(['tasks', query])
    expect([code, stderr.split('\n')[0]]).toEqual([2, expect.stringMatching(/[Aa]pproval/)])
  }
  const all = await project.cadre(['tasks', 'UPDATE *.task.md SET seen = TRUE WHERE id IS NOT NULL'])
  expect(all.stdout).toBe('Updated 4 tasks\n')
  expect(all.stderr).toMatch(/2 approvals were not changed/)
  expect(project.read('approvals.task.md')).toBe(approval)
  expect(project.read('mixed.task.md')).toBe(approval.replace('approval-1', 'approval-2'))
  expect(project.exists('Approvals.task.md')).toBe(false)
})

test('a broken file never hides the rest, and is reported with its place', async () => {
  const project = withTasks({ 'broken.task.md': '## TODO\n\n- [?] "What"\n- [ ] "Fine"\n  id: fine\n' })
  const { code, stdout, stderr } = await project.cadre(['tasks', 'SELECT id FROM *.task.md', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toContainEqual({ id: 'fine' })
  expect(stderr).toMatch(/^broken\.task\.md:3:\d+: error TD\d+ /)
  const lint = await project.cadre(['tasks', '--lint', '*.task.md'])
  expect(lint.code).toBe(1)
  expect(lint.stdout).toMatch(/^broken\.task\.md:3:\d+: error TD\d+ /m)
  const json = await project.cadre(['tasks', '--lint', '--json', 'broken.task.md'])
  expect(JSON.parse(json.stdout)[0]).toMatchObject({ file: 'broken.task.md', line: 3, severity: 'error' })
})

test('without a query, lists the open tasks in the home', async () => {
  const project = createProject({
    '.cadre/tasks/redis.task.md': seed,
    '.cadre/tasks/approvals.task.md': approval,
  })
  const { code, stdout } = await project.cadre(['tasks'])
  expect(code).toBe(0)
  expect(
    stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(' ')[0]),
  ).toEqual(['task-002', 'task-003', 'task-004'])
  expect(JSON.parse((await project.cadre(['tasks', '--json'])).stdout)).toHaveLength(3)
  const empty = createProject()
  expect((await empty.cadre(['tasks'])).stdout).toMatch(/^No open tasks in /)
  expect(empty.listing()).toEqual([])
})

test('text of a task cannot control the terminal', async () => {
  const project = createProject({ 'a.task.md': '- [ ] "x\u001b[2J\u202ey"\n  id: a\n' })
  const { stdout } = await project.cadre(['tasks', 'SELECT * FROM a.task.md'])
  for (const sign of ['\u001b', '\u202e']) expect(stdout).not.toContain(sign)
})
