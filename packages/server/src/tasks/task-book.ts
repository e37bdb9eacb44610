import { nameKey } from '@cadre/core'
import { isApprovalType, type TaskFile, type TaskItem } from '@cadre/tasks'
import type { Action } from './action.ts'
import { misspeltAgent } from './misspelt-agent.ts'

/** The state of all tasks at one moment. */
export interface TaskBook {
  /** Sorted by name. */
  readonly files: readonly TaskBookFile[]
  /** The names of all agents. */
  readonly agents: readonly string[]
  /** The maximum number of parallel task sessions. */
  readonly parallel: number
  /** The session that works on each task, by task id, even if the line has changed since. */
  readonly claims: ReadonlyMap<string, Claim>
  /** The task ends that each session was notified of. */
  readonly notifiedEnds: ReadonlyMap<string, ReadonlySet<string>>
  /** Sessions that this process has started or resumed. */
  readonly begun: ReadonlySet<string>
  /** Ids of claimed tasks that are missing from all files long enough to count as removed. */
  readonly gone: ReadonlySet<string>
}

export interface TaskBookFile extends TaskFile {
  /** Its name in the folder of tasks. */
  readonly file: string
}

/** A session that works on a task. */
export interface Claim {
  readonly session: string
  readonly agent: string
  /** Where the task was last seen. */
  readonly file: string
  /** The `fingerprint` of the task text that the session has received. */
  readonly text: string
  /** How many times it was notified of a changed task. */
  readonly said: number
}

/** A task and its position. */
export interface PlacedTask {
  readonly file: string
  readonly id: string
  readonly task: TaskItem
}

export interface TaskIndex {
  /** Tasks with a unique id, by id, in the order of files and lines. */
  readonly byId: ReadonlyMap<string, PlacedTask>
  /** Tasks with a duplicate id. */
  readonly duplicates: ReadonlyMap<string, readonly PlacedTask[]>
  /** Tasks by the id of their parent. */
  readonly children: ReadonlyMap<string, readonly PlacedTask[]>
  /** Tasks by the session that created them. */
  readonly createdBy: ReadonlyMap<string, readonly PlacedTask[]>
  /** The current or last task of each session. */
  readonly taskOf: ReadonlyMap<string, PlacedTask>
  /** Tasks without an id, as file and line. */
  readonly nameless: readonly { readonly file: string; readonly task: TaskItem }[]
  /** Returns the agent of a task, or `undefined` if it is for people. */
  agentOf(task: TaskItem): string | undefined
  /** Tasks of agents need an id. So do tasks with a misspelt agent, because the problem is written to the task by its id. */
  needsId(task: TaskItem): boolean
}

export function indexTasks(book: Pick<TaskBook, 'files' | 'agents'>): TaskIndex {
  const all = new Map<string, PlacedTask[]>()
  const nameless: { file: string; task: TaskItem }[] = []
  for (const { file, tasks } of book.files)
    for (const task of tasks) {
      if (task.id === undefined) nameless.push({ file, task })
      else addToList(all, task.id, { file, id: task.id, task })
    }
  const byId = new Map<string, PlacedTask>()
  const twins = new Map<string, readonly PlacedTask[]>()
  const children = new Map<string, PlacedTask[]>()
  const createdBy = new Map<string, PlacedTask[]>()
  const taskOf = new Map<string, PlacedTask>()
  for (const [id, places] of all) {
    const [placed, twin] = places
    if (placed === undefined) continue
    if (twin !== undefined) {
      twins.set(id, places)
      continue
    }
    byId.set(id, placed)
    const { parent, fields } = placed.task
    if (parent !== undefined) addToList(children, parent, placed)
    const creator = fields.get('created_by')
    if (creator) addToList(createdBy, creator, placed)
    const session = fields.get('session')
    if (session) taskOf.set(session, placed)
  }
  const names = new Map(book.agents.map((name) => [nameKey(name), name]))
  const agentOf = (task: TaskItem) => {
    if (isApproval(task)) return undefined
    for (const who of task.who) {
      const agent = names.get(nameKey(who))
      if (agent !== undefined) return agent
    }
    return undefined
  }
  return {
    byId,
    duplicates: twins,
    children,
    createdBy,
    taskOf,
    nameless,
    agentOf,
    needsId: (task) =>
      agentOf(task) !== undefined ||
      (task.state === 'open' && !isApproval(task) && misspeltAgent(task, book.agents) !== undefined),
  }
}

/** Returns whether the task is an approval, which only a person decides and no agent works on. */
export function isApproval(task: TaskItem): boolean {
  return isApprovalType(task.fields.get('type'))
}

/** Returns whether the task has ended. Only a person can reopen it. */
export function isFinished({ state }: Pick<TaskItem, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'skipped'
}

/** Returns tasks and everything below them, each once, even if parents form a cycle. */
export function withDescendants(roots: Iterable<PlacedTask>, index: TaskIndex): readonly PlacedTask[] {
  const found = new Map<string, PlacedTask>()
  const waiting = [...roots]
  for (let placed = waiting.pop(); placed !== undefined; placed = waiting.pop()) {
    if (found.has(placed.id)) continue
    found.set(placed.id, placed)
    waiting.push(...(index.children.get(placed.id) ?? []))
  }
  return [...found.values()]
}

/** The sessions of the tasks that a task depends on. */
export function sessionsBefore({ task }: PlacedTask, index: TaskIndex): readonly string[] {
  return task.dependsOn.flatMap((id) => index.byId.get(id)?.task.fields.get('session') ?? [])
}

/** How many tasks are in progress after these actions. */
export function countAfterActions(index: TaskIndex, actions: readonly Action[]): number {
  const working = new Set<string>()
  for (const { id, task } of index.byId.values()) if (task.state === 'running') working.add(id)
  for (const action of actions)
    if (action.kind === 'claim' || action.kind === 'begin') working.add(action.at.id)
  return working.size
}

/** Returns whether part of the file cannot be parsed, so that tasks that seem to be missing may still be in it. */
export function isBroken({ problems }: TaskFile): boolean {
  return problems.some(({ severity }) => severity === 'error')
}

export function addToList<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}
