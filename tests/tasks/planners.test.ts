import type { TaskItem } from '@cadre/tasks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { taskItem } from './memory-tasks.ts'
import { type Simulation, simulate } from './simulation.ts'

const file = 'a.task.md'

async function open(tasks: readonly TaskItem[]): Promise<Simulation> {
  const world = simulate({ agents: ['planner-001', 'worker', 'checker'], parallel: 8 })
  onTestFinished(() => world.dispose())
  world.files.files.set(file, [...tasks])
  await world.settle()
  return world
}

const plan = taskItem({ id: 'p', who: ['planner-001'], title: 'Plan it' })
const part = (id: string, more: Parameters<typeof taskItem>[0] = {}) =>
  taskItem({ id, line: 4, who: ['worker'], title: `Part ${id}`, parent: 'p', depth: 1, ...more })
const state = ({ files }: Simulation, id: string) => files.find(id)?.state
const field = ({ files }: Simulation, id: string, key: string) => files.find(id)?.fields.get(key)
const heard = ({ sessions }: Simulation, session: string) => sessions.sessions.get(session)?.received ?? []
const end = async (
  world: Simulation,
  session: string,
  outcome: 'completed' | 'error' = 'completed',
  text = 'Good.',
) => {
  world.sessions.end(session, outcome, text)
  await world.settle()
}

describe('a planner', () => {
  test('is notified once when everything below has ended, and only then its own task ends', async () => {
    const world = await open([plan, part('a'), part('b', { dependsOn: ['a'] })])
    await end(world, 'planner-001-p', 'completed', 'Planned.')
    expect(state(world, 'p')).toBe('running')
    await end(world, 'worker-a')
    expect(heard(world, 'planner-001-p')).toHaveLength(1)
    await end(world, 'worker-b', 'error', 'no disk')
    expect(heard(world, 'planner-001-p')).toEqual([
      'task/planner-001-p',
      expect.stringMatching(/^tree\/planner-001-p\/[0-9a-f]{16}$/),
    ])
    expect(state(world, 'p')).toBe('running')
    await end(world, 'planner-001-p', 'completed', 'One of two.')
    expect(state(world, 'p')).toBe('done')
    expect(field(world, 'p', 'result')).toBe('One of two.')
    world.die()
    await world.settle()
    expect(heard(world, 'planner-001-p')).toHaveLength(2)
  })

  test('is also notified if everything below had ended before it started, and the process died in between', async () => {
    const world = await open([])
    const claimed = { ...plan, state: 'running' as const, fields: new Map([['session', 'planner-001-p']]) }
    world.files.files.set(file, [claimed, part('a', { state: 'done' })])
    await world.settle()
    expect(world.sessions.begun).toEqual(['planner-001-p'])
    await end(world, 'planner-001-p')
    expect(heard(world, 'planner-001-p')).toHaveLength(2)
  })

  test('is not notified while it is still working', async () => {
    const world = await open([plan, part('a')])
    await end(world, 'worker-a')
    expect(heard(world, 'planner-001-p')).toHaveLength(1)
    await end(world, 'planner-001-p')
    expect(heard(world, 'planner-001-p')).toHaveLength(2)
  })

  test('of created tasks is notified for each wave, whichever file they are in', async () => {
    const world = await open([plan])
    const created = (id: string) =>
      part(id, { parent: undefined, depth: 0, fields: { created_by: 'planner-001-p' } })
    world.files.files.set('b.task.md', [created('a'), part('below', { parent: 'a', who: ['checker'] })])
    await end(world, 'planner-001-p', 'completed', 'Two tasks.')
    await end(world, 'worker-a', 'completed', 'Waits for what is below.')
    expect(state(world, 'a')).toBe('running')
    await end(world, 'checker-below')
    await end(world, 'worker-a')
    expect(heard(world, 'planner-001-p')).toHaveLength(2)
    world.files.files.get('b.task.md')?.push(created('more'))
    await end(world, 'planner-001-p', 'completed', 'One more.')
    expect(state(world, 'p')).toBe('running')
    await end(world, 'worker-more')
    expect(heard(world, 'planner-001-p')).toHaveLength(3)
    await end(world, 'planner-001-p', 'completed', 'All.')
    expect(state(world, 'p')).toBe('done')
    expect(field(world, 'p', 'result')).toBe('All.')
  })

  test('is notified again when a reopened task has another end', async () => {
    const world = await open([plan, part('a')])
    await end(world, 'planner-001-p')
    await end(world, 'worker-a', 'error', 'no')
    await end(world, 'planner-001-p')
    world.files.edit('a', (task) => ({ ...task, state: 'open' }))
    await world.settle()
    await end(world, 'worker-a-2')
    expect(heard(world, 'planner-001-p')).toHaveLength(3)
  })

  test.each(Array.from({ length: 8 }, (_, at) => at + 1))(
    'is notified once when the process dies at point %i',
    async (at) => {
      const world = await open([plan, part('a')])
      await end(world, 'planner-001-p')
      world.dieAt(at)
      await end(world, 'worker-a')
      await end(world, 'planner-001-p', 'completed', 'All.')
      expect(heard(world, 'planner-001-p')).toHaveLength(2)
      expect(field(world, 'p', 'result')).toBe('All.')
    },
  )

  test('that failed fails its task immediately, and is not notified', async () => {
    const world = await open([plan, part('a')])
    await end(world, 'planner-001-p', 'error', 'no')
    expect(state(world, 'p')).toBe('failed')
    await end(world, 'worker-a')
    expect(heard(world, 'planner-001-p')).toHaveLength(1)
  })

  test('is not notified of what ended before a daemon ran in the home', async () => {
    const world = simulate({ agents: ['planner-001'], parallel: 1 })
    onTestFinished(() => world.dispose())
    await world.sessions.start({ id: 'chat', agent: 'planner-001', work: { content: 'x' } })
    world.sessions.end('chat', 'completed')
    world.files.files.set(file, [taskItem({ id: 'old', state: 'done', fields: { created_by: 'chat' } })])
    await world.settle()
    expect(heard(world, 'chat')).toEqual([''])
  })
})

describe('problems of a task', () => {
  const problem = (world: Simulation, id: string) => field(world, id, 'problem')

  test.each([
    [
      'an unknown dependency',
      { dependsOn: ['tsk-1'] },
      'it depends on tsk-1, which is not a task. Did you mean task-1?',
    ],
    ['an unknown parent', { parent: 'nowhere', depth: 0 }, 'its parent is nowhere, which is not a task'],
    ['itself', { dependsOn: ['x'] }, 'it depends on itself: x → x'],
    ['a cycle', { dependsOn: ['y'] }, 'it depends on itself: x → y → x'],
    [
      'an ancestor as a dependency',
      { parent: 'task-1', dependsOn: ['task-1'] },
      'it depends on task-1, which contains it',
    ],
    ['an unknown agent', { who: ['planer-001'] }, 'there is no agent planer-001. Did you mean planner-001?'],
  ])('%s is recorded in it once, reported, and removed when it is fixed', async (_, wrong, message) => {
    const rest = [
      taskItem({ id: 'task-1', line: 7, who: ['human'] }),
      taskItem({ id: 'y', line: 9, who: ['worker'], dependsOn: ['x'] }),
    ]
    const world = await open([taskItem({ id: 'x', who: ['worker'], ...wrong }), ...rest])
    expect(problem(world, 'x')).toBe(message)
    expect(state(world, 'x')).toBe('open')
    expect(world.problems.get(`tasks/${file}`)).toContainEqual(
      expect.objectContaining({ line: 1, severity: 'error', message: `Task x: ${message}` }),
    )
    const before = world.points()
    await world.settle()
    expect(world.points()).toBe(before)
    world.files.edit('x', (task) => ({ ...task, who: ['worker'], parent: undefined, dependsOn: [] }))
    await world.settle()
    expect(problem(world, 'x')).toBeUndefined()
    expect(state(world, 'x')).toBe('running')
    expect(world.problems.get(`tasks/${file}`)).toEqual([])
  })

  test('a duplicate id: neither starts, and a running one is not cancelled', async () => {
    const world = await open([taskItem({ id: 'x', who: ['worker'] })])
    const copy = world.files.find('x') as TaskItem
    world.files.files.set('b.task.md', [{ ...copy, line: 3 }])
    await world.settle()
    world.clock.advance(60_000)
    await world.settle()
    expect(world.sessions.sessions.get('worker-x')?.state).toBe('running')
    expect(world.problems.get('tasks/b.task.md')).toMatchObject([
      { line: 3, message: `Task x: its id is also used at ${file}:1. Change one of them` },
    ])
    world.files.files.delete(file)
    await end(world, 'worker-x')
    expect(state(world, 'x')).toBe('done')
  })

  test('a cycle through tasks that a planner created is found', async () => {
    const world = await open([plan])
    world.files.files
      .get(file)
      ?.push(part('a', { parent: undefined, dependsOn: ['p'], fields: { created_by: 'planner-001-p' } }))
    await world.settle()
    expect(problem(world, 'a')).toBe('it depends on itself: a → p → a')
  })

  test('a note in the words of an earlier version is removed too', async () => {
    const world = await open([
      taskItem({ id: 'x', who: ['human'], fields: { problem: 'it waits for itself: x → x' } }),
    ])
    expect(problem(world, 'x')).toBeUndefined()
  })

  test("a person's own note about a problem stays", async () => {
    const world = await open([
      taskItem({ id: 'x', who: ['human'], fields: { problem: 'the printer is on fire' } }),
    ])
    expect(problem(world, 'x')).toBe('the printer is on fire')
  })
})
