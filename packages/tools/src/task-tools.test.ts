import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { explainIssues, normaliseInput, type Tool, type ToolContext, type ToolResult } from '@cadre/core'
import { openTaskFiles } from '@cadre/tasks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTools } from './create-tools.ts'
import type { TaskPort } from './tasks/task-port.ts'

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-task-tools-')))
  mkdirSync(path.join(home, 'tasks'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const signal = new AbortController().signal
const contextOf = (call: string): ToolContext => ({
  session: 'planner-1',
  agent: 'planner',
  call,
  key: `planner-1/${call}`,
  workspace: home,
})
const write = (file: string, text: string) => writeFileSync(path.join(home, 'tasks', file), text)
const read = (file: string) => readFileSync(path.join(home, 'tasks', file), 'utf8')
const toolNamed = (name: string, tasks?: TaskPort) => {
  const wanted = name.toLowerCase()
  const fits = (tool: Tool) =>
    [tool.name, ...(tool.aliases ?? [])].some((one) => one.toLowerCase() === wanted)
  return createTools({ home, ...(tasks && { tasks }) }).find(fits) as Tool
}
let calls = 0

async function call(
  name: string,
  given: object,
  options: { readonly call?: string; readonly tasks?: TaskPort } = {},
): Promise<ToolResult> {
  const tool = toolNamed(name, options.tasks)
  const checked = await tool.input['~standard'].validate(normaliseInput(tool, name, given))
  if (checked.issues !== undefined) return { failed: true, content: explainIssues(checked.issues) }
  return tool.run(checked.value, contextOf(options.call ?? `call_${++calls}`), signal)
}

async function done(
  name: string,
  given: object,
  options?: { readonly call?: string },
): Promise<Record<string, unknown>> {
  const { content, failed } = await call(name, given, options)
  expect([content, failed]).toEqual([content, undefined])
  const answer = JSON.parse(content) as Record<string, unknown>
  expect(answer['success']).toBe(true)
  return answer
}

async function refused(name: string, given: object): Promise<string> {
  const { content, failed } = await call(name, given)
  expect([content, failed]).toEqual([content, true])
  return content
}

const everything = async () =>
  (await done('query_tasks', { query: 'SELECT * FROM tasks/*.task.md' }))['rows'] as Record<string, unknown>[]

describe('create_task', () => {
  it('writes a task with its author to the file of the agent', async () => {
    const answer = await done('create_task', {
      title: 'Check Redis',
      priority: 'b',
      assignee: '@executor-001',
      tags: 'redis, docker',
      description: 'First line.\nSecond line: with "quotes" and - [ ] a bullet.',
      depends_on: ['task-9'],
      approval_required: true,
      fields: { due: '2025-10-05', effort: 3 },
    })
    expect(answer).toMatchObject({
      file: 'tasks/planner.task.md',
      task_ids: [answer['task_id']],
      note: 'There is no task task-9 yet. Tasks that depend on it stay open.',
    })
    expect(await everything()).toEqual([
      expect.objectContaining({
        id: answer['task_id'],
        title: 'Check Redis',
        state: 'open',
        priority: 'B',
        who: ['executor-001'],
        tags: ['redis', 'docker'],
        depends_on: ['task-9'],
        approval_required: 'true',
        due: '2025-10-05',
        effort: '3',
        created_by: 'planner-1',
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        key: expect.stringMatching(/^[0-9a-f]{12}$/),
        description: 'First line.\nSecond line: with "quotes" and - [ ] a bullet.',
      }),
    ])
  })

  it('accepts whole tasks, nested, and returns their ids', async () => {
    const content = [
      '## TODO',
      '',
      '- [ ] A @planner-001 #redis "Plan Redis check workflow"',
      '  - [ ] B @retriever-001 "Detect container runtime"',
      '    id: runtime',
      '  - [ ] C @executor-001 "Check status"',
      '    depends_on: runtime',
      '    approval_required: true',
      '- [ ] "Validate"',
    ].join('\n')
    const answer = await done('create_task', { file: 'tasks/redis-check.task.md', content })
    const ids = answer['task_ids'] as string[]
    expect(ids).toHaveLength(4)
    expect(ids[1]).toBe('runtime')
    const rows = await everything()
    expect(rows.map(({ id, parent, depth }) => [id, parent ?? null, depth])).toEqual(
      expect.arrayContaining([
        [ids[0], null, 0],
        ['runtime', ids[0], 1],
        [ids[2], ids[0], 1],
        [ids[3], null, 0],
      ]),
    )
    expect(rows.find(({ id }) => id === ids[2])).toMatchObject({
      approval_required: 'true',
      depends_on: ['runtime'],
    })
  })

  it('creates each task once, however often the same call runs, and wherever it was interrupted', async () => {
    const content = '- [ ] "one"\n  - [ ] "two"\n- [ ] "three"\n'
    const real = openTaskFiles({ folder: path.join(home, 'tasks') })
    for (let crash = 0; crash < 3; crash++) {
      let left = crash
      const dying: TaskPort = {
        list: () => real.list(),
        read: (file) => real.read(file),
        change: (...args) => real.change(...args),
        remove: (...args) => real.remove(...args),
        add: async (...args) => {
          if (left-- === 0) throw new Error('the process died')
          return real.add(...args)
        },
      }
      const key = `crash_${crash}`
      const file = `crash-${crash}`
      expect((await call('create_task', { file, content }, { call: key, tasks: dying })).failed).toBe(true)
      expect(await toolNamed('create_task').check?.({ file, content }, contextOf(key), signal)).toBe(
        'not_done',
      )
      const answer = await done('create_task', { file, content }, { call: key })
      expect(await done('create_task', { file, content }, { call: key })).toEqual(answer)
      expect(
        real
          .read(`${file}.task.md`)
          .tasks.map(({ title, depth }) => [title, depth])
          .sort(),
      ).toEqual([
        ['one', 0],
        ['three', 0],
        ['two', 1],
      ])
    }
    const other = await done('create_task', { file: 'crash-0', content })
    expect(real.read('crash-0.task.md').tasks).toHaveLength(6)
    expect(other['task_ids']).toHaveLength(3)
  })

  it('puts a task below another one, in the same file', async () => {
    write('plan.task.md', '## TODO\n\n- [ ] "Top"\n  id: top\n')
    expect(await done('create_task', { title: 'Below', parent: 'top' })).toMatchObject({
      file: 'tasks/plan.task.md',
    })
    expect((await everything()).find(({ title }) => title === 'Below')).toMatchObject({
      parent: 'top',
      depth: 1,
    })
    expect(await refused('create_task', { title: 'x', parent: 'top', file: 'other' })).toContain(
      'tasks/plan.task.md',
    )
    expect(await refused('create_task', { title: 'x', parent: 'none' })).toContain(
      'There is no parent task none',
    )
  })

  it.each([
    [{}, 'Give a title'],
    [{ title: ' ' }, 'Give a title'],
    [{ title: 'x', file: '../escape.task.md' }, 'is not a valid task file'],
    [{ title: 'x', file: '/etc/passwd' }, 'is not a valid task file'],
    [{ title: 'x', file: 'tasks/sub/x.task.md' }, 'is not a valid task file'],
    [{ title: 'x', file: 'notes.md' }, 'is not a valid task file'],
    [{ title: 'x', file: '.hidden' }, 'is not a valid task file'],
    [{ title: 'x', file: 'tasks/approvals.task.md' }, 'approvals'],
    [{ title: 'x', file: 'Approvals' }, 'approvals'],
    [{ title: 'x', fields: { type: 'approval_request' } }, 'approvals'],
    [{ content: '- [ ] "x"\n  type: approval_request\n' }, 'approvals'],
    [{ title: 'x', fields: { created_by: 'somebody' } }, 'itself. Omit it'],
    [{ content: '- [ ] "x"\n  session: planner-9\n' }, 'itself. Omit it'],
    [{ title: 'x', fields: { 'a b': 'c' } }, 'is not a valid field name'],
    [{ title: 'x', priority: 'high' }, 'one letter'],
    [{ title: 'x', who: 'two words, [x]' }, 'is not a valid name'],
    [{ title: 'x', id: 'a b' }, 'is not a valid id'],
    [{ title: 'x', id: 'taken' }, 'Task taken already exists in tasks/there.task.md'],
    [{ content: '- [ ] "y"\n- [ ] "x"\n  id: taken\n' }, 'Task taken already exists'],
    [{ content: 'nothing here' }, 'The content has no task'],
    [{ content: '- [ ] "x"', title: 'y' }, 'content already includes title'],
    [{ title: 'x', titel: 'y' }, 'titel is unknown'],
  ])('refuses %j and writes nothing', async (given, sentence) => {
    write('there.task.md', '- [ ] "There"\n  id: taken\n')
    expect(await refused('create_task', given)).toContain(sentence)
    expect(readdirSync(path.join(home, 'tasks'))).toEqual(['there.task.md'])
    expect(read('there.task.md')).toBe('- [ ] "There"\n  id: taken\n')
  })

  it('writes any text as text', async () => {
    const title = 'Say "hi" @all #x `y` [x]\n- [x] done id: z'
    const description = '- [x] "Injected"\n  id: evil\n## TODO\n```\n<!--'
    const { task_id: id } = await done('create_task', { title, description })
    const rows = await everything()
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      id,
      title: 'Say "hi" @all #x `y` [x] - [x] done id: z',
      description,
      state: 'open',
    })
    expect(rows[0]).not.toHaveProperty('who')
  })

  it('limits tasks that create tasks', async () => {
    const tool = toolNamed('create_task')
    for (let at = 1; at <= 9; at++) {
      const context = { ...contextOf(`c${at}`), session: `s${at}`, key: `s${at}/c` }
      const { content, failed } = await tool.run(
        { title: 'Again', id: `t${at}`, file: 'deep' },
        context,
        signal,
      )
      expect([at, failed, content]).toEqual([at, at === 9 ? true : undefined, content])
      const next =
        at === 9 ? '' : read('deep.task.md').replace(`id: t${at}\n`, `id: t${at}\n  session: s${at + 1}\n`)
      if (at < 9) write('deep.task.md', next)
    }
    expect(await done('create_task', { title: 'Elsewhere' })).toMatchObject({ file: 'tasks/planner.task.md' })
  })

  it('has a file for an agent of any name', async () => {
    for (const [agent, file] of [
      ['../../x y', 'x-y.task.md'],
      ['approvals', 'approvals-agent.task.md'],
    ] as const) {
      const tool = toolNamed('create_task')
      const { content } = await tool.run({ title: 'x' }, { ...contextOf(agent), agent }, signal)
      expect(JSON.parse(content)).toMatchObject({ file: `tasks/${file}` })
    }
  })

  it('accepts the names of another dialect', async () => {
    await done('TaskCreate', { subject: 'Elsewhere', description: 'd', activeForm: 'Doing' })
    expect((await everything())[0]).toMatchObject({ title: 'Elsewhere' })
  })
})

describe('update_task', () => {
  const text = [
    '# Notes of a person',
    '',
    '- [ ] A @ann "First"',
    '  id: task-001',
    '  approval_required: true',
    '',
    '- [~] "Second"   <!-- stays -->',
    '  id: task-002',
    '  created_by: lead-1',
    '- [_] @human `Approve`',
    '  id: approval-1',
    '  type: approval_request',
    '',
  ].join('\n')
  beforeEach(() => write('a.task.md', text))

  it('changes only what is named', async () => {
    expect(await done('update_task', { id: 'task-001', title: 'Primera', priority: 'B' })).toEqual({
      success: true,
      id: 'task-001',
      file: 'tasks/a.task.md',
      state: 'open',
      changed: true,
    })
    expect(read('a.task.md')).toBe(
      text
        .replace('A @ann "First"', 'B @ann "Primera"')
        .replace('approval_required: true', 'approval_required: true\n  updated_by: planner-1'),
    )
  })

  it('records which sessions changed a task, and the owner of each mark', async () => {
    await done('update_task', { id: 'task-002', tags: ['x'] })
    const tool = toolNamed('update_task')
    const by = (session: string, given: object) =>
      tool.run({ id: 'task-002', ...given }, { ...contextOf(session), session }, signal)
    const fields = () => {
      const { fields: all } = openTaskFiles({ folder: path.join(home, 'tasks') }).find('task-002')?.task ?? {}
      return [all?.get('updated_by'), all?.get('marked_by')]
    }
    expect(fields()).toEqual(['planner-1', undefined])
    await by('other-2', { state: 'done' })
    expect(fields()).toEqual(['planner-1, other-2', 'other-2 done'])
    await by('planner-1', { title: 'Anew' })
    expect(fields()).toEqual(['other-2, planner-1', 'other-2 done'])
    // Nothing changed, so no session is recorded.
    await by('third-3', { title: 'Anew' })
    expect(fields()).toEqual(['other-2, planner-1', 'other-2 done'])
  })

  it('records all sessions that change it at the same time', async () => {
    const tool = toolNamed('update_task')
    const sessions = Array.from({ length: 8 }, (_, at) => `s-${at}`)
    await Promise.all(
      sessions.map((session, at) =>
        tool.run(
          { id: 'task-002', fields: { [`f${at}`]: 'x' } },
          { ...contextOf(session), session, key: session },
          signal,
        ),
      ),
    )
    const { task } = openTaskFiles({ folder: path.join(home, 'tasks') }).find('task-002') ?? {}
    expect(task?.fields.get('updated_by')?.split(', ').sort()).toEqual(sessions)
  })

  it('does not restart its own task', async () => {
    write('own.task.md', '- [~] @planner "Mine"\n  id: own\n  session: planner-1\n')
    expect(await refused('update_task', { id: 'own', state: 'open' })).toContain(
      'is the task you are working on',
    )
  })

  it('records when a task was done', async () => {
    await done('update_task', { id: 'task-001', status: 'completed', fields: { result: 'fine' } })
    const [row] = await everything()
    expect(row).toMatchObject({
      state: 'done',
      result: 'fine',
      completed_at: expect.stringMatching(/^\d{4}-/),
    })
  })

  it('accepts a unique id prefix', async () => {
    write('b.task.md', '- [ ] "x"\n  id: other-7\n')
    expect(await done('update_task', { task_id: 'oth', state: 'skipped' })).toMatchObject({
      id: 'other-7',
      state: 'skipped',
    })
    expect(await refused('update_task', { id: 'task', state: 'done' })).toContain(
      '2 tasks match task: task-001 (tasks/a.task.md:3)',
    )
    expect(await refused('update_task', { id: 'zzz', state: 'done' })).toContain('There is no task zzz')
  })

  it.each([
    [{ id: 'approval-1', state: 'done' }, 'is an approval'],
    [{ id: 'task-001', approval_required: false }, 'Only a person can change that'],
    [{ id: 'task-001', fields: { approval_required: null } }, 'Only a person can change that'],
    [{ id: 'task-001', fields: { approval_required: 'no' } }, 'Only a person can change that'],
    [{ id: 'task-001', fields: { type: 'approval_request' } }, 'approvals'],
    [{ id: 'task-002', fields: { created_by: 'me' } }, 'itself. Omit it'],
    [{ id: 'task-002', fields: { session: null } }, 'itself. Omit it'],
    [{ id: 'task-002', fields: { key: 'x' } }, 'itself. Omit it'],
    [{ id: 'task-002', fields: { updated_by: null } }, 'itself. Omit it'],
    [{ id: 'task-002', fields: { marked_by: 'planner-1 done' } }, 'itself. Omit it'],
    [{ id: 'task-002', fields: { parent: 'task-001' } }, 'cannot move a task below'],
    [{ id: 'task-002' }, 'Nothing to change'],
    [{ id: 'task-002', state: 'finished' }, 'state must be one of'],
  ])('refuses %j and writes nothing', async (given, sentence) => {
    expect(await refused('update_task', given)).toContain(sentence)
    expect(read('a.task.md')).toBe(text)
  })

  it('does not see the file of the approvals', async () => {
    const approvals = '- [_] "x"\n  id: approval-2\n'
    write('approvals.task.md', approvals)
    expect(await refused('update_task', { id: 'approval-2', state: 'done' })).toMatch(
      /There is no task|is an approval/,
    )
    expect(read('approvals.task.md')).toBe(approvals)
  })

  it('may require approvals, and can check whether a change was made', async () => {
    const given = { id: 'task-002', approval_required: true, tags: ['x'], description: 'a\nb' }
    const tool = toolNamed('update_task')
    expect(await tool.check?.(given, contextOf('c'), signal)).toBe('not_done')
    await done('update_task', given)
    expect(await tool.check?.(given, contextOf('c'), signal)).toBe('done')
    expect(await done('update_task', given)).toMatchObject({ changed: false })
  })
})

describe('query_tasks', () => {
  beforeEach(() => {
    write('a.task.md', '- [x] A @ann "First"\n  id: a\n- [ ] B @ben "Second"\n  id: b\n- [?] "Broken"\n')
    write('approvals.task.md', '- [_] `Approve`\n  id: approval-1\n  type: approval_request\n')
  })

  it('returns rows, and problems in the files', async () => {
    const answer = await done('query_tasks', {
      query: 'SELECT id, who FROM tasks/a.task.md WHERE NOT completed',
    })
    expect(answer).toMatchObject({ count: 1, rows: [{ id: 'b', who: ['ben'] }] })
    expect((answer['problems'] as string[])[0]).toMatch(/^tasks\/a\.task\.md:5:\d+: TD\d+ /)
    expect(
      await done('query_tasks', { query: "SELECT id FROM tasks WHERE type = 'approval_request'" }),
    ).toMatchObject({ count: 1 })
    expect(await done('TaskList', {})).toMatchObject({ count: 3 })
    expect(await done('TaskGet', { taskId: 'b' })).toMatchObject({ rows: [{ id: 'b', title: 'Second' }] })
    expect(await done('TaskGet', { taskId: "' OR id IS NOT NULL OR id = '" })).toMatchObject({ count: 0 })
  })

  it.each([
    ["UPDATE tasks/a.task.md SET title = 'x' WHERE id = 'a'", 'only reads'],
    ["DELETE FROM tasks/a.task.md WHERE id = 'a'", 'only reads'],
    ["INSERT INTO tasks/a.task.md SET title = 'x'", 'only reads'],
    ['SELECT * FROM tasks/a.task.md INTO tasks/b.task.md', 'INTO is not supported'],
    ['SELECT * FROM /etc/passwd', 'is not in the tasks folder'],
    ['SELECT * FROM tasks/../storage/policy.yaml', 'is not in the tasks folder'],
    ['SELECT * FROM ../*', 'is not in the tasks folder'],
    ["SELECT * FROM 'tasks\\\\..\\\\x'", 'is not in the tasks folder'],
    ['SELECT * FROM tasks/b.task.md', 'there is no file tasks/b.task.md. Did you mean a.task.md?'],
    ['SELECT * FORM tasks', 'Did you mean FROM?\n  SELECT * FORM tasks\n           ^'],
  ])('refuses %s', async (query, sentence) => {
    const before = read('a.task.md')
    expect(await refused('query_tasks', { query })).toContain(sentence)
    expect(read('a.task.md')).toBe(before)
    expect(readdirSync(path.join(home, 'tasks')).sort()).toEqual(['a.task.md', 'approvals.task.md'])
  })

  it('shows a part of a large result, and reports it', async () => {
    const long = Array.from(
      { length: 2000 },
      (_, at) => `- [ ] "Task ${at} ${'x'.repeat(50)}"\n  id: t${at}\n`,
    )
    write('long.task.md', long.join(''))
    const { content } = await call('query_tasks', { query: 'SELECT * FROM tasks/long.task.md' })
    expect(content.length).toBeLessThan(26_000)
    const answer = JSON.parse(content) as { count: number; rows: unknown[]; notes: string[] }
    expect(answer.count).toBe(2000)
    expect(answer.notes[0]).toBe(
      `${2000 - answer.rows.length} more rows are not shown. Select fewer fields, or use WHERE and LIMIT.`,
    )
  })
})
