import type { KeepRequest, KeptSessionState, SessionKeeper } from '@cadre/server'
import type { TaskChange, TaskItem, TaskProblem } from '@cadre/tasks'
import type { TaskStore } from '../../packages/server/src/tasks/task-store.ts'

/** Called before and after everything durable; throwing here simulates a crash at that point. */
export type Point = () => void

export function taskItem(
  part: Partial<Omit<TaskItem, 'fields'>> & { fields?: Record<string, string> },
): TaskItem {
  const fields = new Map(Object.entries(part.fields ?? {}))
  return {
    id: undefined,
    line: 1,
    state: 'open',
    priority: undefined,
    who: [],
    tags: [],
    title: 'something',
    parent: undefined,
    dependsOn: [],
    section: 'TODO',
    depth: 0,
    ...part,
    fields,
  }
}

/** Task files in memory, changed like real ones: atomically, and only if they are as expected. */
export interface MemoryFiles extends TaskStore {
  readonly files: Map<string, TaskItem[]>
  readonly problems: Map<string, TaskProblem[]>
  /** A person's editor: replaces or removes a task. */
  edit(id: string, change: (task: TaskItem) => TaskItem | undefined): void
  find(id: string): TaskItem | undefined
}

export function memoryFiles(point: Point): MemoryFiles {
  const files = new Map<string, TaskItem[]>()
  const problems = new Map<string, TaskProblem[]>()
  let made = 0
  const place = (id: string) => {
    for (const [file, tasks] of files) {
      const at = tasks.findIndex((task) => task.id === id)
      if (at >= 0) return { file, tasks, at }
    }
    return undefined
  }
  return {
    files,
    problems,
    list: () => [...files.keys()].sort(),
    read: (file) => ({ tasks: [...(files.get(file) ?? [])], problems: problems.get(file) ?? [] }),
    change(file, id, change, when = () => true) {
      return Promise.resolve().then(() => {
        point()
        const tasks = files.get(file) ?? []
        const at = tasks.findIndex((task) => task.id === id)
        const task = tasks[at]
        if (task === undefined) return { kind: 'missing' as const }
        if (!when(task)) return { kind: 'same' as const }
        tasks[at] = changed(task, change)
        point()
        return { kind: 'changed' as const, task: tasks[at] }
      })
    },
    ensureIds(file, wants = () => true, idOf = () => () => undefined) {
      point()
      const ids: string[] = []
      const known = idOf()
      const named = (files.get(file) ?? []).map((task) => {
        if (task.id !== undefined || !wants(task)) return task
        const id = known(task) ?? `given-${++made}`
        ids.push(id)
        return { ...task, id }
      })
      files.set(file, named)
      point()
      return Promise.resolve(ids)
    },
    edit(id, change) {
      const found = place(id)
      if (found === undefined) return
      const task = change(found.tasks[found.at] as TaskItem)
      found.tasks.splice(found.at, 1, ...(task === undefined ? [] : [task]))
    },
    find: (id) => {
      const found = place(id)
      return found?.tasks[found.at]
    },
  }
}

function changed(task: TaskItem, { state, title, who, fields: wanted = {} }: TaskChange): TaskItem {
  const fields = new Map(task.fields)
  for (const [key, value] of Object.entries(wanted)) {
    if (value === null) fields.delete(key)
    else fields.set(key, value)
  }
  return {
    ...task,
    ...(state && { state }),
    ...(title !== undefined && { title }),
    ...(who && { who }),
    fields,
  }
}

export interface MemorySession {
  readonly request: KeepRequest
  /** The messages it received. */
  readonly received: string[]
  /** `left`: no longer running, because its process is gone. */
  state: 'running' | 'waiting' | 'left' | Extract<KeptSessionState, { kind: 'ended' }>
}

export interface MemorySessions extends SessionKeeper {
  readonly sessions: Map<string, MemorySession>
  /** Sessions in the order of their start. */
  readonly begun: string[]
  /** As the end of the process leaves them. */
  leave(): void
  end(session: string, outcome: 'completed' | 'incomplete' | 'error' | 'cancelled', text?: string): void
}

export function memorySessions(point: Point): MemorySessions {
  const sessions = new Map<string, MemorySession>()
  const begun: string[] = []
  return {
    sessions,
    begun,
    async start(request) {
      point()
      const known = sessions.get(request.id)
      if (known === undefined) {
        begun.push(request.id)
        sessions.set(request.id, { request, received: [request.work.message ?? ''], state: 'running' })
      } else if (known.state === 'left') known.state = 'running'
      point()
    },
    async tell(id, work) {
      point()
      const known = sessions.get(id)
      if (known === undefined) return 'missing'
      if (!known.received.includes(work.message)) {
        known.received.push(work.message)
        known.state = 'running'
      }
      point()
      return 'queued'
    },
    async delivery(id, message) {
      return sessions.get(id)?.received.includes(message) ? 'delivered' : 'unknown'
    },
    async resume() {},
    async resumeOnRequest() {},
    async cancel(id, reason) {
      point()
      const known = sessions.get(id)
      if (known === undefined || typeof known.state === 'object') return false
      known.state = { kind: 'ended', outcome: 'cancelled', text: '', reason }
      point()
      return true
    },
    async state(id) {
      const state = sessions.get(id)?.state
      if (state === undefined) return { kind: 'absent' }
      if (typeof state === 'object') return state
      return { kind: state === 'left' ? 'running' : state }
    },
    onRest: () => () => {},
    leave() {
      for (const session of sessions.values()) if (session.state === 'running') session.state = 'left'
    },
    end(id, outcome, text = `${id} is ${outcome}`) {
      const session = sessions.get(id)
      if (session === undefined || typeof session.state === 'object') return
      const reason = outcome === 'completed' ? {} : { reason: text }
      session.state = { kind: 'ended', outcome, text, ...reason }
    },
  }
}
