import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { thisProcess } from '@cadre/disk'
import { Leases, readRequesters } from '@cadre/home'
import { expect, it } from 'vitest'
import { until } from '../../daemon/daemon.spec-helpers.ts'
import { hostileNames, startTestServer } from './routes.spec-helpers.ts'

const file = `# Work

- [ ] B @ann "Check the cache"
  id: task-1
- [ ] Deploy it
  id: task-2
  depends_on: task-1
- [x] Old thing  \r
  id: task-3
- [ ] without an id
`

it('lists, selects, changes, adds and deletes tasks, and leaves the rest of the file unchanged', async () => {
  const { client, home, ask, daemon } = await startTestServer({
    prepare(where) {
      mkdirSync(where.at('tasks'), { recursive: true })
      writeFileSync(where.at('tasks', 'work.task.md'), file)
      writeFileSync(
        where.at('tasks', 'approvals.task.md'),
        '- [ ] Approve it\n  id: a-1\n  type: approval_request\n',
      )
    },
  })
  const text = () => readFileSync(home.at('tasks', 'work.task.md'), 'utf8')
  const { items } = await client.listTasks()
  expect(items.map(({ id, state, blockedBy }) => [id, state, blockedBy])).toEqual([
    ['task-1', 'open', []],
    ['task-2', 'open', ['task-1']],
    ['task-3', 'done', []],
    ['work.task.md:10', 'open', []],
  ])
  expect(items[0]).toMatchObject({ file: 'work.task.md', line: 3, agent: 'ann', priority: 'B', marker: ' ' })
  const select = (query: string) => client.listTasks({ query: { query } })
  const found = await select("SELECT id FROM tasks/*.task.md WHERE state = 'done'")
  expect(found.items.map(({ id }) => id)).toEqual(['task-3'])
  const approvals = await select('SELECT * FROM tasks/approvals.task.md')
  expect(approvals.items).toEqual([])
  for (const query of [
    "DELETE FROM tasks/work.task.md WHERE id = 'task-1'",
    'SELECT * FROM tasks/work.task.md INTO tasks/x.task.md',
    'SELECT * FROM ../config.yaml',
    'SELECT * FROM /etc/passwd',
    'nonsense',
  ])
    await expect(select(query)).rejects.toMatchObject({ status: 400 })

  const etag = items[0]?.etag ?? ''
  const params = { id: 'task-1' }
  const done = await client.changeTask({ params, body: { state: 'done', priority: 'A' }, ifMatch: etag })
  expect(done).toMatchObject({ id: 'task-1', state: 'done', priority: 'A', title: 'Check the cache' })
  expect(text()).toBe(file.replace('- [ ] B @ann', '- [x] A @ann'))
  expect((await client.listTasks()).items[1]?.blockedBy).toEqual([])
  await expect(client.changeTask({ params, body: { state: 'open' }, ifMatch: etag })).rejects.toMatchObject({
    status: 412,
  })
  const nameless = (await client.listTasks()).items[3]
  const named = await client.changeTask({
    params: { id: nameless?.id ?? '' },
    body: { title: 'with an id' },
    ifMatch: nameless?.etag ?? '',
  })
  expect(named.id).toMatch(/^task-/)
  expect(named.title).toBe('with an id')

  const create = { body: { title: 'New', dependencies: ['task-2'], agent: 'bob' }, idempotencyKey: 'k' }
  const [one, two] = await Promise.all([client.createTask(create), client.createTask(create)])
  expect(one).toMatchObject({ file: 'todo.task.md', agent: 'bob', blockedBy: ['task-2'] })
  expect(two.id).toBe(one.id)
  expect(readFileSync(home.at('tasks', 'todo.task.md'), 'utf8').match(/New/g)).toHaveLength(1)
  for (const body of [
    { title: 'x', file: '../x.task.md' },
    { title: 'x', file: 'x.md' },
    { title: 'x', file: 'approvals.task.md' },
    { title: 'x', dependencies: ['none'] },
    { title: 'x', priority: 'high' },
    { title: ' ' },
  ])
    expect([body, (await ask('/api/tasks', { method: 'POST', body })).status]).toEqual([body, 400])
  expect(await client.deleteTask({ params: { id: one.id }, ifMatch: one.etag })).toEqual({ deleted: 1 })
  await expect(client.deleteTask({ params: { id: one.id }, ifMatch: one.etag })).rejects.toMatchObject({
    status: 404,
  })
  expect(daemon.happenings.filter((one) => one['by'] === 'ann').map(({ type }) => type)).toEqual([
    'task.changed',
    'task.changed',
    'task.added',
    'task.deleted',
  ])
  for (const name of hostileNames) {
    const { status } = await ask(`/api/tasks/${name}`, {
      method: 'PATCH',
      body: { state: 'done' },
      headers: { 'if-match': '"x"' },
    })
    expect([name, [400, 404, 405].includes(status)]).toEqual([name, true])
  }
})

it('changes no task in a file that a person saves while the request waits for its turn', async () => {
  const { client, home } = await startTestServer({
    prepare(where) {
      mkdirSync(where.at('tasks'), { recursive: true })
      writeFileSync(where.at('tasks', 'work.task.md'), file)
    },
  })
  const [task] = (await client.listTasks()).items
  const path = home.at('tasks', 'work.task.md')
  // Another process is changing task files, so the request waits after its first check.
  const leases = new Leases(home, thisProcess())
  leases.acquire('.tasks')
  const params = { id: 'task-1' }
  const changing = client.changeTask({ params, body: { state: 'done' }, ifMatch: task?.etag ?? '' })
  changing.catch(() => {})
  await until(() => readRequesters(home, 'task', 'task-1').length > 0)
  appendFileSync(path, '  note: wait for Ann\n')
  leases.close()
  await expect(changing).rejects.toMatchObject({ status: 412 })
  expect(readFileSync(path, 'utf8')).toBe(`${file}  note: wait for Ann\n`)
})
