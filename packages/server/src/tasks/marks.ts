/**
 * Remembers the progress of each task, so that saving an old copy of a file does not undo it. An editor that holds an old copy writes
 * lines without a session, or with an earlier one. Such a line is stale, and the daemon restores it. A person who reopens a task changes
 * its marker and keeps the session it names, so that line is not stale.
 */
import { createHash } from 'node:crypto'
import { isObject } from '@cadre/core'
import type { TaskChange, TaskItem, TaskState } from '@cadre/tasks'
import { brokenLines } from './find-task-problems.ts'
import { isFinished, type PlacedTask, type TaskBookFile } from './task-book.ts'

/** The progress of a task. */
export interface TaskMark {
  /** The file it was last seen in. */
  readonly file: string
  /** The session that its line names, or an empty string. */
  readonly session: string
  /** The sessions that its line named before. */
  readonly earlier: readonly string[]
  readonly state: TaskState
  /** When the daemon first saw this state. */
  readonly at: string
  /** `nameOf` the task when it was given its id. */
  readonly named?: string
}

/** A task with a stale line, and its real progress. */
export interface StaleTask {
  readonly placed: PlacedTask
  readonly mark: TaskMark
}

export interface RecalledMarks {
  /** The files, with the real progress of every task. */
  readonly files: readonly TaskBookFile[]
  readonly stale: readonly StaleTask[]
  /** New and changed marks. */
  readonly learned: ReadonlyMap<string, TaskMark>
}

export function readTaskMarks(
  files: readonly TaskBookFile[],
  marks: ReadonlyMap<string, TaskMark>,
  at: string,
): RecalledMarks {
  const stale: StaleTask[] = []
  const learned = new Map<string, TaskMark>()
  const counts = new Map<string, number>()
  for (const { tasks } of files)
    for (const { id } of tasks) if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
  const recalled = files.map((file) => {
    const broken = brokenLines(file)
    const tasks = file.tasks.map((task) => {
      const { id } = task
      if (id === undefined || counts.get(id) !== 1 || broken.has(task.line)) return task
      const mark = marks.get(id)
      if (mark !== undefined && hasRegressed(task, mark)) {
        stale.push({ placed: { file: file.file, id, task }, mark })
        return asMarked(task, mark)
      }
      const next = markOf(task, file.file, mark, at)
      if (next !== undefined) learned.set(id, next)
      return task
    })
    return { ...file, tasks }
  })
  return { files: stale.length === 0 ? files : recalled, stale, learned }
}

function hasRegressed(task: TaskItem, mark: TaskMark): boolean {
  const session = sessionIn(task)
  if (session === mark.session) return task.state === 'running' && isFinished(mark)
  // Tidying up a finished task does not make its line stale.
  return mark.earlier.includes(session) && !(isFinished(task) && task.state === mark.state)
}

/** The new mark of a task; `undefined` when the old one still applies, or there is nothing to remember yet. */
function markOf(task: TaskItem, file: string, mark: TaskMark | undefined, at: string): TaskMark | undefined {
  const session = sessionIn(task)
  if (mark === undefined)
    return session === '' ? undefined : { file, session, earlier: [''], state: task.state, at }
  const isKnown = session === mark.session || mark.earlier.includes(session)
  if (isKnown && task.state === mark.state && file === mark.file) return undefined
  const since = task.state === mark.state && isKnown ? mark.at : at
  return isKnown
    ? { ...mark, file, state: task.state, at: since }
    : { ...mark, file, session, earlier: [...mark.earlier, mark.session], state: task.state, at: since }
}

/** The new mark of a task after the daemon changed it. */
export function markAfter(
  { task, file }: PlacedTask,
  { state = task.state, fields = {} }: TaskChange,
  mark: TaskMark | undefined,
  at: string,
): TaskMark | undefined {
  const session = 'session' in fields ? (fields['session'] ?? '') : sessionIn(task)
  return markOf(asMarked(task, { session, state }), file, mark, at)
}

/** Returns the mark of a task that was taken from its session: its line has no session, and this session becomes an earlier one. */
export function releaseMark(mark: TaskMark, session: string, at: string): TaskMark {
  const earlier = [...mark.earlier, mark.session, session].filter((one) => one !== '')
  return { ...mark, session: '', earlier: [...new Set(earlier)], state: 'open', at }
}

function asMarked(task: TaskItem, { session, state }: Pick<TaskMark, 'session' | 'state'>): TaskItem {
  const fields = new Map(task.fields)
  if (session === '') fields.delete('session')
  else fields.set('session', session)
  return { ...task, state, fields }
}

function sessionIn({ fields }: TaskItem): string {
  return fields.get('session') ?? ''
}

/** Identifies a task that lost the id the daemon gave it. */
export function markNameOf({ title, who }: TaskItem): string {
  return createHash('sha256')
    .update(JSON.stringify([title, who]))
    .digest('hex')
    .slice(0, 16)
}

/** Finds the id that the daemon gave to a task of this file before an old copy without ids was saved. */
export function findLostIds(
  file: string,
  files: readonly TaskBookFile[],
  marks: ReadonlyMap<string, TaskMark>,
): (task: TaskItem) => string | undefined {
  const there = new Set(files.flatMap(({ tasks }) => tasks.flatMap(({ id }) => id ?? [])))
  const lost = [...marks].filter(
    ([id, mark]) => mark.file === file && mark.named !== undefined && !there.has(id),
  )
  return (task) => {
    const at = lost.findIndex(([, mark]) => mark.named === markNameOf(task))
    return at < 0 ? undefined : lost.splice(at, 1)[0]?.[0]
  }
}

const states: readonly string[] = ['open', 'running', 'done', 'skipped', 'failed'] satisfies TaskState[]

export function isMark(value: unknown): value is TaskMark {
  if (!isObject(value)) return false
  const { file, session, earlier, state, at } = value
  return (
    [file, session, at].every((part) => typeof part === 'string') &&
    Array.isArray(earlier) &&
    typeof state === 'string' &&
    states.includes(state)
  )
}
