import type { TaskFile, TaskItem, TaskState } from '@cadre/tasks'

/** `waiting`: open, with unfinished dependencies. */
export type DisplayState = TaskState | 'waiting'

export interface TaskNode {
  readonly kind: 'task'
  readonly file: string
  readonly task: TaskItem
  /** Safe to show. */
  readonly title: string
  readonly state: DisplayState
  /** The ids of unfinished dependencies. */
  readonly waitsFor: readonly string[]
  readonly children: readonly TaskNode[]
}

export interface TaskFileNode {
  readonly kind: 'file'
  readonly file: string
  /** By state, in file order; subtasks are below their parent. */
  readonly groups: readonly TaskGroup[]
  readonly problems: number
}

export interface TaskGroup {
  readonly kind: 'group'
  readonly file: string
  readonly state: DisplayState
  readonly tasks: readonly TaskNode[]
}

const order: readonly DisplayState[] = ['running', 'open', 'waiting', 'failed', 'done', 'skipped']

export const stateLabels: Readonly<Record<DisplayState, string>> = {
  running: 'Running',
  open: 'Open',
  waiting: 'Waiting for other tasks',
  failed: 'Failed',
  done: 'Done',
  skipped: 'Skipped',
}

export function buildTasks(
  files: readonly { readonly name: string; readonly file: TaskFile }[],
  show: (text: string) => string,
): TaskFileNode[] {
  const settled = new Set(
    files.flatMap(({ file }) =>
      file.tasks.flatMap(({ id, state }) => (id !== undefined && state === 'done' ? [id] : [])),
    ),
  )
  return files.map(({ name, file }) => {
    const tops = nodesOf(name, file.tasks, settled, show)
    const groups = order.flatMap((state): TaskGroup[] => {
      const tasks = tops.filter((node) => node.state === state)
      return tasks.length === 0 ? [] : [{ kind: 'group', file: name, state, tasks }]
    })
    return { kind: 'file', file: name, groups, problems: file.problems.length }
  })
}

function nodesOf(
  file: string,
  tasks: readonly TaskItem[],
  settled: ReadonlySet<string>,
  show: (text: string) => string,
): TaskNode[] {
  const tops: TaskNode[] = []
  const above: { readonly depth: number; readonly children: TaskNode[] }[] = []
  for (const task of tasks) {
    const waitsFor = task.state === 'open' ? task.dependsOn.filter((id) => !settled.has(id)) : []
    const children: TaskNode[] = []
    const state = waitsFor.length > 0 ? 'waiting' : task.state
    while ((above.at(-1)?.depth ?? -1) >= task.depth) above.pop()
    const siblings = above.at(-1)?.children ?? tops
    siblings.push({ kind: 'task', file, task, title: show(task.title), state, waitsFor, children })
    above.push({ depth: task.depth, children })
  }
  return tops
}

/** Shown next to its title: the state if it differs from its group, the priority, the assignees, and its dependencies. */
export function taskDescription({ task, state, waitsFor }: TaskNode): string {
  const { priority, who, dependsOn } = task
  const needs = state === 'waiting' ? `waiting for ${waitsFor.join(', ')}` : `after ${dependsOn.join(', ')}`
  return [
    ...(task.depth > 0 ? [stateLabels[state].toLowerCase()] : []),
    ...(priority === undefined ? [] : [`(${priority})`]),
    ...who.map((name) => `@${name}`),
    ...(dependsOn.length === 0 ? [] : [needs]),
  ].join(' ')
}

export function fileDescription({ groups, problems }: TaskFileNode): string {
  const counts = groups.map(({ state, tasks }) => `${tasks.length} ${state}`)
  return [
    ...counts,
    ...(problems === 0 ? [] : [`${problems} ${problems === 1 ? 'problem' : 'problems'}`]),
  ].join(', ')
}

/** A leading `@who` is the assignee, trailing `#tags` are tags, as in a task file; the rest is the title. */
export function parseNewTask(text: string): { title: string; who: string[]; tags: string[] } {
  const words = text.trim().split(/\s+/)
  const isName = (word: string | undefined, sign: string) =>
    word !== undefined && new RegExp(`^${sign}[\\w][\\w.-]*$`, 'u').test(word)
  const who: string[] = []
  const tags: string[] = []
  while (isName(words[0], '@')) who.push(words.shift()?.slice(1) ?? '')
  while (isName(words.at(-1), '#')) tags.unshift(words.pop()?.slice(1) ?? '')
  return { title: words.join(' '), who, tags }
}
