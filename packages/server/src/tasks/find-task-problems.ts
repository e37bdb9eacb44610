import { didYouMean, nearest } from '@cadre/core'
import type { TaskItem } from '@cadre/tasks'
import { findCycles, type WaitGraph } from './find-cycles.ts'
import { misspeltAgent } from './misspelt-agent.ts'
import {
  addToList,
  isApproval,
  isFinished,
  type PlacedTask,
  type TaskBook,
  type TaskIndex,
  withDescendants,
} from './task-book.ts'

/** The reason why a task cannot run. */
export interface BlockedTask {
  readonly placed: PlacedTask
  readonly code: 'duplicate' | 'dependency' | 'parent' | 'cycle' | 'agent' | 'field'
  readonly message: string
}

/** Every problem starts with one of these, so that Cadre can remove its own note, and never a person's, once the task is fixed. */
const problemPrefixes = {
  twin: 'its id is also used at ',
  dependency: 'it depends on ',
  parent: 'its parent is ',
  cycle: 'it depends on itself: ',
  agent: 'there is no agent ',
  field: 'its field ',
}

/** The wording of problems in earlier versions. */
const formerPrefixes = ['it waits for itself: ']

export function isOwnProblem(text: string): boolean {
  return [...Object.values(problemPrefixes), ...formerPrefixes].some((start) => text.startsWith(start))
}

/** Finds problems of unfinished tasks, one per task, in the order of files and lines. */
export function findTaskProblems(book: TaskBook, index: TaskIndex): readonly BlockedTask[] {
  const cycles = findCycles(waitsOf(index))
  const found: BlockedTask[] = []
  for (const places of index.duplicates.values())
    for (const placed of places) {
      const other = places.find((one) => one !== placed)
      if (other === undefined || isFinished(placed.task)) continue
      const message = `${problemPrefixes.twin}${other.file}:${other.task.line}. Change one of them`
      found.push({ placed, code: 'duplicate', message })
    }
  for (const placed of index.byId.values()) {
    if (placed.task.state !== 'open' || isApproval(placed.task)) continue
    const trouble =
      index.agentOf(placed.task) === undefined
        ? unknownAgent(placed, book)
        : (misspeltField(placed) ?? badReference(placed, index) ?? cycleOf(placed, cycles))
    if (trouble !== undefined) found.push({ placed, ...trouble })
  }
  return found
}

type Finding = Pick<BlockedTask, 'code' | 'message'>

/** Fields that restrict when a task runs. A misspelt one must not be ignored. */
const restrictions = ['approval_required', 'depends_on']

function misspeltField({ task }: PlacedTask): Finding | undefined {
  for (const key of task.fields.keys()) {
    const [meant] = restrictions.includes(key) ? [] : nearest(key, restrictions, 1)
    // A part of such a name, such as "on", is a different field.
    if (meant === undefined || Math.abs(meant.length - key.length) > 2) continue
    return { code: 'field', message: `${problemPrefixes.field}${key} is unknown. Did you mean ${meant}?` }
  }
  return undefined
}

function badReference({ id, task }: PlacedTask, index: TaskIndex): Finding | undefined {
  const ids = () => [...index.byId.keys()].filter((known) => known !== id)
  for (const wanted of task.dependsOn) {
    if (index.byId.has(wanted)) continue
    const what = index.duplicates.has(wanted)
      ? 'the id of several tasks'
      : `not a task${didYouMean(wanted, ids())}`
    return {
      code: 'dependency',
      message: `${problemPrefixes.dependency}${shortenId(wanted)}, which is ${what}`,
    }
  }
  const { parent } = task
  if (parent !== undefined && !index.byId.has(parent)) {
    const what = index.duplicates.has(parent)
      ? 'the id of several tasks'
      : `not a task${didYouMean(parent, ids())}`
    return { code: 'parent', message: `${problemPrefixes.parent}${shortenId(parent)}, which is ${what}` }
  }
  const above = ancestorsOf(id, index)
  const up = task.dependsOn.find((wanted) => above.has(wanted))
  if (up !== undefined)
    return { code: 'cycle', message: `${problemPrefixes.dependency}${shortenId(up)}, which contains it` }
  if (task.dependsOn.length === 0 || !index.children.has(id)) return undefined
  const below = new Set(withDescendants(index.children.get(id) ?? [], index).map((placed) => placed.id))
  const down = task.dependsOn.find((wanted) => wanted !== id && below.has(wanted))
  if (down === undefined) return undefined
  return {
    code: 'cycle',
    message: `${problemPrefixes.dependency}${shortenId(down)}, which is one of its subtasks. Remove the dependency: Cadre already notifies a task when its subtasks end`,
  }
}

function cycleOf({ id }: PlacedTask, cycles: ReadonlyMap<string, readonly string[]>): Finding | undefined {
  const cycle = cycles.get(id)?.filter((one) => !one.startsWith('\0'))
  if (cycle === undefined) return undefined
  const way = cycle.length > 9 ? [...cycle.slice(0, 4), '…', ...cycle.slice(-4)] : cycle
  const message =
    cycle.length === 1 ? 'many tasks depend on each other in a cycle' : way.map(shortenId).join(' → ')
  return { code: 'cycle', message: `${problemPrefixes.cycle}${message}` }
}

function unknownAgent({ task }: PlacedTask, { agents }: TaskBook): Finding | undefined {
  const found = misspeltAgent(task, agents)
  if (found === undefined) return undefined
  const { who, meant } = found
  const hint =
    meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : 'Assign an existing agent, or a person'
  return { code: 'agent', message: `${problemPrefixes.agent}${shortenId(who)}. ${hint}` }
}

function ancestorsOf(id: string, index: TaskIndex): ReadonlySet<string> {
  const above = new Set<string>()
  for (let parent = index.byId.get(id)?.task.parent; parent !== undefined; ) {
    if (above.has(parent)) break
    above.add(parent)
    parent = index.byId.get(parent)?.task.parent
  }
  return above
}

/**
 * A task waits for its dependencies. An agent's task also ends only after everything below it and everything that its session created. An
 * ended task or a person's task does not wait for its subtasks, but tasks above it do, so its subtasks are followed under an artificial
 * name.
 */
function waitsOf(index: TaskIndex): WaitGraph {
  const waits = new Map<string, string[]>()
  const isOpen = (task: TaskItem) => !isFinished(task)
  for (const placed of index.byId.values()) {
    const { id, task } = placed
    const isPlanner = isOpen(task) && index.agentOf(task) !== undefined
    if (isOpen(task))
      for (const wanted of task.dependsOn) {
        const needed = index.byId.get(wanted)
        if (needed !== undefined && isOpen(needed.task)) addToList(waits, id, wanted)
      }
    if (!isPlanner && isOpen(task)) addToList(waits, through(id), id)
    for (const { id: below, task: child } of membersOf(placed, index)) {
      const isOwn = isOpen(child) && index.agentOf(child) !== undefined
      addToList(waits, isPlanner ? id : through(id), isOwn ? below : through(below))
    }
  }
  return waits
}

function through(id: string): string {
  return `\0${id}`
}

function membersOf({ id, task }: Pick<PlacedTask, 'id' | 'task'>, index: TaskIndex): readonly PlacedTask[] {
  const session = task.state === 'running' ? task.fields.get('session') : undefined
  const created = session === undefined ? [] : (index.createdBy.get(session) ?? [])
  return [...(index.children.get(id) ?? []), ...created.filter((placed) => placed.id !== id)]
}

function shortenId(id: string): string {
  return id.length > 80 ? `${id.slice(0, 79)}…` : id
}

/** Returns the tasks whose lines contain an error. */
export function brokenLines({
  problems,
  tasks,
}: {
  readonly problems: readonly { severity: string; line: number; code: string }[]
  readonly tasks: readonly TaskItem[]
}): ReadonlySet<number> {
  // A line without a valid marker is neither a task nor part of the task above.
  const errors = problems.filter(({ severity, code }) => severity === 'error' && code !== 'TD004')
  if (errors.length === 0) return new Set()
  const starts = tasks.map(({ line }) => line)
  return new Set(errors.flatMap(({ line }) => starts.findLast((start) => start <= line) ?? []))
}
