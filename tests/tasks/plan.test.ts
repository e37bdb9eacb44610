import type { TaskItem, TaskState } from '@cadre/tasks'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findTaskProblems } from '../../packages/server/src/tasks/find-task-problems.ts'
import { planTasks } from '../../packages/server/src/tasks/plan-tasks.ts'
import { indexTasks, type TaskBook, withDescendants } from '../../packages/server/src/tasks/task-book.ts'
import { amount } from '../support/amount.ts'
import { taskItem } from './memory-tasks.ts'
import { allTasks, type Simulation, simulate } from './simulation.ts'

const agents = ['alpha', 'beta', 'gamma']
const ids = Array.from({ length: 9 }, (_, number) => `t${number}`)
const idOf = fc.constantFrom(...ids)
const whoOf = fc.constantFrom(['alpha'], ['beta'], ['gamma'], ['human', 'beta'], ['human'], [])

interface Sketch {
  readonly who: readonly string[]
  readonly priority: string | undefined
  readonly dependsOn: readonly string[]
  readonly parent: string | undefined
  /** The task whose first session has created it. */
  readonly creator: string | undefined
  readonly file: string
}

const sketch: fc.Arbitrary<Sketch> = fc.record({
  who: whoOf,
  priority: fc.constantFrom('A', 'B', undefined),
  dependsOn: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.uniqueArray(idOf, { minLength: 1, maxLength: 3 }) },
  ),
  parent: fc.option(idOf, { nil: undefined, freq: 6 }),
  creator: fc.option(idOf, { nil: undefined, freq: 6 }),
  file: fc.constantFrom('a.task.md', 'b.task.md'),
})

type Event =
  | {
      readonly kind: 'end'
      readonly which: number
      readonly outcome: 'completed' | 'incomplete' | 'error' | 'cancelled'
    }
  | { readonly kind: 'wait'; readonly which: number }
  | { readonly kind: 'mark'; readonly id: string; readonly state: TaskState }
  | { readonly kind: 'assign'; readonly id: string; readonly who: readonly string[] }
  | { readonly kind: 'rename'; readonly id: string; readonly title: string }
  | { readonly kind: 'remove' | 'move'; readonly id: string }
  | { readonly kind: 'die'; readonly at: number }
  | { readonly kind: 'time' }

const which = fc.nat(8)
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which,
      outcome: fc.constantFrom('completed', 'completed', 'completed', 'error', 'incomplete', 'cancelled'),
    }),
  },
  fc.record({ kind: fc.constant('wait' as const), which }),
  fc.record({
    kind: fc.constant('mark' as const),
    id: idOf,
    state: fc.constantFrom<TaskState>('open', 'done', 'skipped'),
  }),
  fc.record({ kind: fc.constant('assign' as const), id: idOf, who: whoOf }),
  fc.record({ kind: fc.constant('rename' as const), id: idOf, title: fc.constantFrom('one', 'two') }),
  fc.record({ kind: fc.constantFrom('remove' as const, 'move' as const), id: idOf }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('die' as const), at: fc.integer({ min: 1, max: 12 }) }),
  },
  fc.record({ kind: fc.constant('time' as const) }),
)

describe('whatever people, sessions and crashes do', () => {
  test('order is kept, nothing starts twice, and finally nothing that could be done is left', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sketch, { minLength: 1, maxLength: ids.length }),
        fc.array(event, { maxLength: 25 }),
        fc.integer({ min: 1, max: 3 }),
        async (sketches, events, parallel) => {
          const world = simulate({ agents, parallel })
          try {
            const faults = watch(world, parallel)
            fill(world, sketches)
            await world.settle()
            for (const one of events) {
              apply(one, world)
              await world.settle()
            }
            world.clock.advance(5000)
            await world.settle()
            await finish(world)
            expect(faults).toEqual([])
            expect(leftOver(world)).toEqual([])
            const before = world.points()
            world.die()
            await world.settle()
            expect(world.points()).toBe(before)
          } finally {
            world.dispose()
          }
        },
      ),
      { numRuns: amount({ usual: 25, deep: 250 }) },
    )
  }, 600_000)
})

test('finds exactly the tasks that wait for each other', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(idOf, idOf), { maxLength: 14 }), (edges) => {
      const tasks = ids.map((id, line) =>
        taskItem({
          id,
          line: line + 1,
          who: ['alpha'],
          dependsOn: [...new Set(edges.flatMap(([from, to]) => (from === id ? [to] : [])))],
        }),
      )
      const book = bookOf(tasks)
      const found = findTaskProblems(book, indexTasks(book)).map(({ placed }) => placed.id)
      const reaches = (from: string, goal: string) => {
        const seen = new Set<string>()
        const visit = (id: string): boolean =>
          edges.some(([a, b]) => a === id && (b === goal || (!seen.has(b) && seen.add(b) && visit(b))))
        return visit(from)
      }
      expect(found.toSorted()).toEqual(ids.filter((id) => reaches(id, id)))
    }),
  )
})

test('a plan is the same for the same book, and not longer than the number of slots', () => {
  fc.assert(
    fc.property(
      fc.array(sketch, { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 0, max: 4 }),
      (sketches, parallel) => {
        const book = { ...bookOf(sketches.map((one, number) => itemOf(one, number))), parallel }
        const plan = planTasks(book, new Map())
        expect(planTasks(book, new Map())).toEqual(plan)
        const claims = plan.actions.filter(({ kind }) => kind === 'claim')
        expect(claims.length).toBeLessThanOrEqual(parallel)
      },
    ),
  )
})

test('A comes before B, then the order of files and lines applies', () => {
  const tasks = ['B', undefined, 'A', 'b', 'A'].map((priority, line) =>
    taskItem({ id: `t${line}`, line: line + 1, priority, who: ['alpha'] }),
  )
  const { actions } = planTasks(bookOf(tasks), new Map())
  expect(actions.flatMap((action) => (action.kind === 'claim' ? [action.at.id] : []))).toEqual([
    't2',
    't4',
    't0',
    't3',
    't1',
  ])
})

test('ten thousand tasks in a chain are planned quickly', () => {
  const tasks = Array.from({ length: 10_000 }, (_, line) =>
    taskItem({
      id: `n${line}`,
      line: line + 1,
      who: ['alpha'],
      dependsOn: line === 0 ? [] : [`n${line - 1}`],
    }),
  )
  const { actions } = planTasks(bookOf(tasks), new Map())
  expect(actions).toMatchObject([{ kind: 'claim', at: { id: 'n0' } }])
})

function bookOf(tasks: readonly TaskItem[]): TaskBook {
  return {
    files: [{ file: 'a.task.md', tasks, problems: [] }],
    agents,
    parallel: 100,
    claims: new Map(),
    notifiedEnds: new Map(),
    begun: new Set(),
    gone: new Set(),
  }
}

function itemOf({ who, priority, dependsOn, parent, creator }: Sketch, number: number): TaskItem {
  const fields = { ...(creator !== undefined && { created_by: `alpha-${creator}` }) }
  return taskItem({ id: ids[number], line: number + 1, who, priority, dependsOn, parent, fields })
}

function fill({ files }: Simulation, sketches: readonly Sketch[]): void {
  files.files.set('a.task.md', [])
  files.files.set('b.task.md', [])
  for (const [number, one] of sketches.entries()) files.files.get(one.file)?.push(itemOf(one, number))
}

/** Records invariant violations at the moment they happen. */
function watch({ files, sessions }: Simulation, parallel: number): string[] {
  const faults: string[] = []
  const { change } = files
  files.change = (file, id, wanted, when) =>
    change(file, id, wanted, (task) => {
      if (when?.(task) === false) return false
      if (wanted.state === 'running')
        for (const needed of task.dependsOn)
          if (files.find(needed)?.state !== 'done') faults.push(`${id} was begun before ${needed} was done`)
      if (
        task.state === 'done' ||
        (task.state === 'skipped' && wanted.state !== undefined && !task.fields.has('skipped_because'))
      )
        if (wanted.state !== undefined) faults.push(`${id} was decided, and changed all the same`)
      return true
    })
  const { start } = sessions
  sessions.start = async (request) => {
    const isNew = !sessions.sessions.has(request.id)
    const live = [...sessions.sessions.entries()].filter(([, { state }]) => state === 'running')
    if (isNew && live.length >= parallel) faults.push(`${request.id} is one too many`)
    const base = request.id.replace(/(t\d+)-\d+$/, '$1')
    const other = live.find(([id]) => id !== request.id && id.replace(/(t\d+)-\d+$/, '$1') === base)
    if (other !== undefined) faults.push(`${request.id} was begun while ${other[0]} was at work`)
    await start(request)
  }
  return faults
}

function apply(one: Event, { files, sessions, clock, dieAt }: Simulation): void {
  const live = [...sessions.sessions].filter(([, { state }]) => typeof state !== 'object')
  const [session] = 'which' in one && live.length > 0 ? (live[one.which % live.length] ?? []) : []
  switch (one.kind) {
    case 'end':
      if (session !== undefined) sessions.end(session, one.outcome)
      return
    case 'wait': {
      const known = sessions.sessions.get(session ?? '')
      if (known !== undefined) known.state = 'waiting'
      return
    }
    case 'mark':
      files.edit(one.id, (task) => ({ ...task, state: one.state }))
      return
    case 'assign':
      files.edit(one.id, (task) => ({ ...task, who: one.who }))
      return
    case 'rename':
      files.edit(one.id, (task) => ({ ...task, title: one.title }))
      return
    case 'remove':
      files.edit(one.id, () => undefined)
      return
    case 'move': {
      const task = files.find(one.id)
      if (task === undefined) return
      files.edit(one.id, () => undefined)
      files.files.get('b.task.md')?.push(task)
      return
    }
    case 'die':
      dieAt(one.at)
      return
    case 'time':
      clock.advance(700)
      return
  }
}

/** Ends every session, repeatedly, until none is running. */
async function finish(world: Simulation): Promise<void> {
  for (let round = 0; round < 200; round++) {
    // After a crash, the wait before a task counts as removed starts again.
    world.clock.advance(5000)
    await world.settle()
    const all = [...world.sessions.sessions]
    const left = all.flatMap(([session, { state }]) => (state === 'left' ? [session] : []))
    if (left.length > 0) throw new Error(`nobody goes on with ${left}`)
    const live = all.filter(([, { state }]) => typeof state !== 'object')
    if (live.length === 0) return
    for (const [session] of live) world.sessions.end(session, 'completed')
    await world.settle()
  }
  throw new Error('it goes on without end')
}

/** Tasks that have not ended although nothing blocks them. */
function leftOver({ files, sessions }: Simulation): string[] {
  const tasks = allTasks(files)
  const book = bookOf(tasks)
  const index = indexTasks(book)
  const stuck = new Set(findTaskProblems(book, index).map(({ placed }) => placed.id))
  const isWaiting = (id: string | undefined, seen: ReadonlySet<string> = new Set()): boolean => {
    const placed = index.byId.get(id ?? '')
    if (placed === undefined || seen.has(placed.id)) return placed !== undefined
    const { task } = placed
    if (task.state === 'done' || task.state === 'failed' || task.state === 'skipped') return false
    if (stuck.has(placed.id) || index.agentOf(task) === undefined) return true
    const further = new Set([...seen, placed.id])
    const own = index.createdBy.get(task.fields.get('session') ?? '') ?? []
    const below = withDescendants([...own, ...(index.children.get(placed.id) ?? [])], index).map(
      (child) => child.id,
    )
    return [...task.dependsOn, ...below].some((other) => isWaiting(other, further))
  }
  const open = tasks.filter(({ state }) => state === 'open' || state === 'running')
  const wrong = open.filter(({ id }) => !isWaiting(id)).map(({ id, state }) => `${id} is ${state}`)
  for (const { fields, state, id } of tasks) {
    const session = sessions.sessions.get(fields.get('session') ?? '')
    if (state !== 'running' && session !== undefined && typeof session.state !== 'object')
      wrong.push(`the session of ${id} goes on`)
    const below = index.children.get(id ?? '') ?? []
    const isDoneHere = state === 'done' && fields.has('completed') && session?.state !== undefined
    if (isDoneHere && below.length > 0 && !session?.received.some((message) => message.startsWith('tree/')))
      if (below.every(({ task }) => task.fields.has('completed'))) wrong.push(`${id} was told nothing`)
    if (fields.get('problem') !== undefined && !stuck.has(id ?? ''))
      wrong.push(`${id} has a problem that is mended`)
  }
  return wrong
}
