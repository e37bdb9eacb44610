import type { TaskItem } from '@cadre/tasks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { taskItem } from './memory-tasks.ts'
import { type Simulation, simulate } from './simulation.ts'

const file = 'a.task.md'

async function open(tasks: readonly TaskItem[], parallel = 4): Promise<Simulation> {
  const world = simulate({ agents: ['alpha', 'beta', 'planner-001'], parallel })
  onTestFinished(() => world.dispose())
  world.files.files.set(file, [...tasks])
  await world.settle()
  return world
}

const one = (part: Parameters<typeof taskItem>[0] = {}) =>
  taskItem({ id: 't1', who: ['alpha'], title: 'Look', ...part })
const two = (part: Parameters<typeof taskItem>[0] = {}) =>
  taskItem({ id: 't2', line: 5, who: ['beta'], title: 'Use it', dependsOn: ['t1'], ...part })
const field = ({ files }: Simulation, id: string, key: string) => files.find(id)?.fields.get(key)
const state = ({ files }: Simulation, id: string) => files.find(id)?.state
const stateOf = ({ sessions }: Simulation, session: string) => sessions.sessions.get(session)?.state
const heard = ({ sessions }: Simulation, session: string) => sessions.sessions.get(session)?.received ?? []

describe('running a task', () => {
  test('it is claimed with its session, and its end is recorded in it', async () => {
    const world = await open([one({ fields: { approval_required: 'true' } }), two()])
    expect(state(world, 't1')).toBe('running')
    expect(field(world, 't1', 'session')).toBe('alpha-t1')
    expect(field(world, 't1', 'started')).toBe('2026-01-01T00:00:00.000Z')
    expect(world.sessions.sessions.get('alpha-t1')?.request).toMatchObject({
      agent: 'alpha',
      controls: { approvalRequired: true },
    })
    world.sessions.end('alpha-t1', 'completed', 'It is Docker.\n> and more')
    await world.settle()
    expect(state(world, 't1')).toBe('done')
    expect(field(world, 't1', 'result')).toBe('It is Docker.\n> and more')
    const { content } = world.sessions.sessions.get('beta-t2')?.request.work ?? { content: '' }
    expect(content).toContain('Use it')
    expect(content).toContain('- t1 (Look): done\n  > It is Docker.\n  > > and more')
  })

  test('a long result is cut, and states where the rest is', async () => {
    const world = await open([one()])
    world.sessions.end('alpha-t1', 'completed', `${'ä'.repeat(1499)}😀\u001b[31m${'x'.repeat(9000)}`)
    await world.settle()
    const result = field(world, 't1', 'result') ?? ''
    expect(result.length).toBeLessThan(1700)
    expect(result).toContain('sessions/alpha-t1.session.yaml')
    expect(result).not.toMatch(/\p{Cc}\[|[\ud800-\udbff](?![\udc00-\udfff])/u)
  })

  test.each([
    ['error', 'the model is gone', 'failed'],
    ['incomplete', 'no report', 'failed'],
    ['cancelled', 'by anna', 'skipped'],
  ] as const)(
    'a session that ends as %s: its task is marked, and dependent tasks are skipped',
    async (outcome, why, end) => {
      const world = await open([
        one(),
        two(),
        taskItem({ id: 't3', line: 9, who: ['alpha'], dependsOn: ['t2'] }),
      ])
      world.sessions.end('alpha-t1', outcome, why)
      await world.settle()
      expect(state(world, 't1')).toBe(end)
      expect(field(world, 't1', 'status')).toBe(end)
      expect(field(world, 't1', end === 'failed' ? 'error' : 'skipped_because')).toContain(why)
      expect(state(world, 't2')).toBe('skipped')
      expect(field(world, 't2', 'skipped_because')).toBe(`t1 ${end === 'failed' ? 'failed' : 'was skipped'}`)
      expect(field(world, 't3', 'skipped_because')).toBe('t2 was skipped')
    },
  )

  test('all work of a dead process continues, even if it uses every slot', async () => {
    const world = await open([one(), two({ dependsOn: [] })], 2)
    world.die()
    await world.settle()
    expect([stateOf(world, 'alpha-t1'), stateOf(world, 'beta-t2')]).toEqual(['running', 'running'])
    expect(world.sessions.begun).toHaveLength(2)
  })

  test('a session that another process runs is not touched', async () => {
    const world = await open([])
    world.sessions.state = () => Promise.resolve({ kind: 'elsewhere', pid: 1 })
    world.files.files.set(file, [
      one({ state: 'running', fields: { session: 'alpha-t1' } }),
      two({ dependsOn: [] }),
    ])
    const before = world.sessions.begun.length
    world.files.files.get(file)?.pop()
    await world.settle()
    expect(world.sessions.begun.length).toBe(before)
    expect(state(world, 't1')).toBe('running')
  })

  test('a task that cannot start is marked with the reason', async () => {
    const world = await open([])
    const { CadreError } = await import('@cadre/core')
    world.sessions.start = () => Promise.reject(new CadreError('unknown_model', 'no model is named gpt-9'))
    world.files.files.set(file, [one()])
    await world.settle()
    expect(state(world, 't1')).toBe('failed')
    expect(field(world, 't1', 'error')).toBe('no model is named gpt-9')
  })

  test('tasks for people are left to them, and approvals never run', async () => {
    const world = await open([
      one({ who: ['human'] }),
      taskItem({ id: 't2', who: ['anna'] }),
      taskItem({ id: 't3', who: [] }),
      taskItem({ id: 't4', who: ['alpha'], fields: { type: 'approval_request' } }),
      taskItem({ id: 't5', who: ['anna', 'beta'] }),
    ])
    expect(world.sessions.begun).toEqual(['beta-t5'])
    expect(world.problems.get(`tasks/${file}`) ?? []).toEqual([])
  })

  test('a task without an id gets one, and runs', async () => {
    const world = await open([taskItem({ who: ['alpha'] }), taskItem({ who: ['human'], line: 2 })])
    expect(world.sessions.begun).toEqual(['alpha-given-1'])
  })
})

describe('a person’s change while it runs', () => {
  test.each(['done', 'skipped'] as const)('marked as %s: its session is cancelled', async (mark) => {
    const world = await open([one(), two()])
    world.files.edit('t1', (task) => ({ ...task, state: mark }))
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toMatchObject({ outcome: 'cancelled' })
    expect(state(world, 't1')).toBe(mark)
    expect(state(world, 't2')).toBe(mark === 'done' ? 'running' : 'skipped')
  })

  test('marked by its own session: that continues to its end', async () => {
    const world = await open([one()])
    world.files.edit('t1', (task) => ({
      ...task,
      state: 'done',
      fields: new Map([...task.fields, ['updated_by', 'alpha-t1'], ['marked_by', 'alpha-t1 done']]),
    }))
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toBe('running')
    world.sessions.end('alpha-t1', 'completed', 'It is Docker.')
    await world.settle()
    expect(field(world, 't1', 'result')).toBe('It is Docker.')
  })

  test('marked by a person after its session changed it: its session is cancelled', async () => {
    const world = await open([one()])
    const by = ['updated_by', 'alpha-t1'] as const
    world.files.edit('t1', (task) => ({ ...task, tags: ['new'], fields: new Map([...task.fields, by]) }))
    await world.settle()
    world.files.edit('t1', (task) => ({ ...task, state: 'skipped' }))
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toMatchObject({ outcome: 'cancelled' })
  })

  test('reopened: another attempt', async () => {
    const world = await open([one()])
    world.files.edit('t1', (task) => ({ ...task, state: 'open' }))
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toMatchObject({ outcome: 'cancelled' })
    expect(field(world, 't1', 'session')).toBe('alpha-t1-2')
    expect(stateOf(world, 'alpha-t1-2')).toBe('running')
  })

  test.each([
    ['before its session began', 'done', (before: TaskItem) => before],
    [
      'before its session began, with another title',
      'done',
      (b: TaskItem) => ({ ...b, title: 'Look again' }),
    ],
    ['while its session worked', 'done', (_: TaskItem, during: TaskItem) => during],
    ['before its session began', 'failed', (before: TaskItem) => before],
    ['before its session began', 'running', (before: TaskItem) => before],
  ] as const)('saved from a copy made %s: it stays %s, and nothing is done again', async (_, end, saved) => {
    const world = await open([one(), two()])
    const during = world.files.find('t1') as TaskItem
    if (end !== 'running')
      world.sessions.end('alpha-t1', end === 'done' ? 'completed' : 'error', 'It is Docker.')
    await world.settle()
    for (let again = 0; again < 6; again++) {
      world.files.edit('t1', () => saved(one(), during))
      if (again === 2) world.die()
      await world.settle()
      expect(state(world, 't1')).toBe(end)
      expect(field(world, 't1', 'session')).toBe('alpha-t1')
    }
    expect(field(world, 't1', 'result')).toBe(end === 'done' ? 'It is Docker.' : undefined)
    expect([...world.sessions.sessions.keys()].toSorted()).toEqual(
      end === 'done' ? ['alpha-t1', 'beta-t2'] : ['alpha-t1'],
    )
    expect(stateOf(world, 'alpha-t1')).not.toMatchObject({ outcome: 'cancelled' })
  })

  test('a stale copy of the task from its first attempt is saved: the second attempt keeps running', async () => {
    const world = await open([one()])
    world.sessions.end('alpha-t1', 'error', '')
    await world.settle()
    const failed = world.files.find('t1') as TaskItem
    world.files.edit('t1', (task) => ({ ...task, state: 'open' }))
    await world.settle()
    world.files.edit('t1', () => failed)
    await world.settle()
    expect(field(world, 't1', 'session')).toBe('alpha-t1-2')
    expect(stateOf(world, 'alpha-t1-2')).toBe('running')
    world.sessions.end('alpha-t1-2', 'completed', 'done')
    await world.settle()
    expect(state(world, 't1')).toBe('done')
  })

  test('saved from a copy made before it was assigned to another agent: that agent continues', async () => {
    const world = await open([one()])
    const before = world.files.find('t1') as TaskItem
    world.files.edit('t1', (task) => ({ ...task, who: ['beta'] }))
    await world.settle()
    world.files.edit('t1', () => ({ ...before, who: ['beta'] }))
    await world.settle()
    expect(stateOf(world, 'beta-t1')).toBe('running')
    expect(field(world, 't1', 'session')).toBe('beta-t1')
  })

  test('saved from a copy without its id: it stays the same task', async () => {
    const nameless = taskItem({ who: ['alpha'], title: 'Look' })
    const world = await open([nameless, nameless])
    const ids = world.files.files.get(file)?.map(({ id }) => id)
    for (const id of ids ?? []) world.sessions.end(`alpha-${id}`, 'completed', 'It is Docker.')
    await world.settle()
    world.files.files.set(file, [nameless, nameless, taskItem({ who: ['alpha'], title: 'Look' })])
    await world.settle()
    const now = world.files.files.get(file) ?? []
    expect(now.slice(0, 2).map(({ id }) => id)).toEqual(ids)
    expect(now.map(({ state }) => state)).toEqual(['done', 'done', 'running'])
    expect(world.sessions.sessions.size).toBe(3)
  })

  test('tidied up when done: it stays unchanged; removed and rewritten: it is a new task', async () => {
    const world = await open([one()])
    world.sessions.end('alpha-t1', 'completed', 'It is Docker.')
    await world.settle()
    world.files.edit('t1', () => one({ state: 'done' }))
    await world.settle()
    expect(field(world, 't1', 'session')).toBeUndefined()
    world.files.edit('t1', () => undefined)
    await world.settle()
    world.clock.advance(1000)
    await world.settle()
    world.files.files.set(file, [one()])
    await world.settle()
    expect(field(world, 't1', 'session')).toBe('alpha-t1-2')
    expect(state(world, 't1')).toBe('running')
  })

  test('its line removed: its session is cancelled, after a delay in which it may appear elsewhere', async () => {
    const world = await open([one()])
    world.files.edit('t1', () => undefined)
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toBe('running')
    world.clock.advance(1000)
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toMatchObject({ outcome: 'cancelled' })
  })

  test('its line removed while no process was running: its session is cancelled too', async () => {
    const world = await open([one()])
    world.die()
    world.files.edit('t1', () => undefined)
    await world.settle()
    world.clock.advance(1000)
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toMatchObject({ outcome: 'cancelled' })
  })

  test('moved to another file, or its file renamed: it is found by its id', async () => {
    const world = await open([one()])
    const task = world.files.find('t1') as TaskItem
    world.files.files.delete(file)
    await world.settle()
    world.files.files.set('renamed.task.md', [task])
    await world.settle()
    world.clock.advance(5000)
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toBe('running')
    world.sessions.end('alpha-t1', 'completed')
    await world.settle()
    expect(state(world, 't1')).toBe('done')
  })

  test('its file broken: nothing is cancelled, it is reported, and others continue', async () => {
    const world = await open([one()])
    world.files.problems.set(file, [
      { severity: 'error', code: 'TD001', message: 'a quote', line: 3, column: 9 },
    ])
    world.files.edit('t1', () => undefined)
    world.files.files.set('b.task.md', [taskItem({ id: 't9', who: ['beta'] })])
    await world.settle()
    world.clock.advance(60_000)
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toBe('running')
    expect(stateOf(world, 'beta-t9')).toBe('running')
    expect(world.problems.get(`tasks/${file}`)).toMatchObject([{ line: 3, code: 'TD001' }])
  })

  test('an unreadable file is reported, and others continue', async () => {
    const world = await open([])
    const { read } = world.files
    world.files.read = (name) => {
      if (name === file) throw new Error('it is a folder')
      return read(name)
    }
    world.files.files.set('b.task.md', [taskItem({ id: 't9', who: ['beta'] })])
    await world.settle()
    expect(stateOf(world, 'beta-t9')).toBe('running')
    expect(world.problems.get(`tasks/${file}`)).toMatchObject([{ message: 'it is a folder' }])
  })

  test('assigned to another agent: its session is cancelled, and the other one starts', async () => {
    const world = await open([one()])
    world.files.edit('t1', (task) => ({ ...task, who: ['beta'] }))
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toMatchObject({ outcome: 'cancelled' })
    expect(field(world, 't1', 'session')).toBe('beta-t1')
    world.files.edit('t1', (task) => ({ ...task, who: ['alpha'] }))
    await world.settle()
    expect(field(world, 't1', 'session')).toBe('alpha-t1-2')
    expect(world.sessions.begun).toEqual(['alpha-t1', 'beta-t1', 'alpha-t1-2'])
  })

  test('assigned to a person: its session is cancelled, and the task is open for them', async () => {
    const world = await open([one()])
    world.files.edit('t1', (task) => ({ ...task, who: ['human'] }))
    await world.settle()
    expect(stateOf(world, 'alpha-t1')).toMatchObject({ outcome: 'cancelled' })
    expect(state(world, 't1')).toBe('open')
    expect(field(world, 't1', 'session')).toBeUndefined()
  })

  test('rewritten: its session is notified once per change, back and forth, and across a crash', async () => {
    const world = await open([one()])
    const rename = async (title: string) => {
      world.files.edit('t1', (task) => ({ ...task, title }))
      await world.settle()
    }
    await rename('Look closely')
    world.die()
    await world.settle()
    expect(heard(world, 'alpha-t1')).toHaveLength(2)
    await rename('Look')
    await rename('Look closely')
    expect(heard(world, 'alpha-t1')).toHaveLength(4)
    world.dieAt(2)
    await rename('Look away')
    expect(world.deaths()).toBe(2)
    expect(heard(world, 'alpha-t1')).toHaveLength(5)
  })

  test('reopened after it failed: another attempt, and tasks skipped for it open too', async () => {
    const world = await open([one(), two()])
    world.sessions.end('alpha-t1', 'error', 'no')
    await world.settle()
    expect(state(world, 't2')).toBe('skipped')
    world.files.edit('t1', (task) => ({ ...task, state: 'open' }))
    await world.settle()
    expect(field(world, 't1', 'session')).toBe('alpha-t1-2')
    expect(field(world, 't1', 'error')).toBeUndefined()
    expect(field(world, 't1', 'status')).toBeUndefined()
    expect(state(world, 't2')).toBe('open')
    expect([...(world.files.find('t2')?.fields.keys() ?? [])]).toEqual([])
    world.sessions.end('alpha-t1-2', 'completed')
    await world.settle()
    expect(state(world, 't2')).toBe('running')
  })

  test('a task that a person skipped stays skipped, whatever its dependencies become', async () => {
    const world = await open([one(), two({ state: 'skipped' })])
    world.sessions.end('alpha-t1', 'completed')
    await world.settle()
    expect(state(world, 't2')).toBe('skipped')
  })
})
