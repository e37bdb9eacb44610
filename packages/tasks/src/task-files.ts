/**
 * Owns the changes that Cadre's processes make to the task files in a folder. People edit the files at any time, in any editor.
 *
 * 1. Cadre's processes change the files in a folder one at a time, under one lock, so that ids are unique.
 * 2. A change is based on the current content, and is applied again if the file was saved in the meantime.
 * 3. An unreadable file is reported as a problem. It does not affect other files, and is never changed.
 * 4. Nothing here changes the file of approvals, or a task that is or would become an approval.
 */
import path from 'node:path'
import { CadreError, sentenceOf } from '@cadre/core'
import type { RawText } from '@cadre/disk'
import { listFolder } from '@cadre/disk'
import { editFile, type Home, openHome, withLock } from '@cadre/home'
import { addTask } from './add-task.ts'
import { changeTask } from './change-task.ts'
import { ensureIds } from './ensure-ids.ts'
import { approvalsFile, isApprovalsFile, isApprovalType } from './is-approval.ts'
import { newTaskId } from './new-task-id.ts'
import { isText, maxBytes, notText, readPlainTaskFile, tooLarge } from './read-plain-task-file.ts'
import { readTaskFile } from './read-task-file.ts'
import { removeTask } from './remove-task.ts'
import { refusedEdit, type TaskEdit } from './task-edit.ts'
import type { NewTask, TaskChange, TaskFile, TaskItem, TaskProblem } from './task-item.ts'
import { readWrittenTasks } from './written-tasks.ts'

/** The result of a change, and the task after it. */
export type TaskEditResult =
  | { readonly kind: 'changed'; readonly task: TaskItem | undefined }
  | Exclude<TaskEdit, { kind: 'changed' }>

export interface FoundTask {
  readonly file: string
  readonly task: TaskItem
}

export interface TaskFiles {
  /** Returns sorted names, without the file of approvals. */
  list(): readonly string[]
  /** Returns the same object as long as the file is unchanged. Empty if there is no file. */
  read(file: string): TaskFile
  /** Returns the problems of a file, including ids that another file has too. */
  problems(file: string): readonly TaskProblem[]
  /** Changes nothing if `when` returns false. It is called with the current task, and again if the task changes. */
  change(
    file: string,
    id: string,
    change: TaskChange,
    when?: (task: TaskItem) => boolean,
  ): Promise<TaskEditResult>
  /** Creates an id if none is given. Throws `usage` if the id is in use in any file. */
  add(file: string, task: NewTask): Promise<{ readonly id: string }>
  /** Also removes its subtasks. */
  remove(file: string, id: string, when?: (task: TaskItem) => boolean): Promise<TaskEditResult>
  /** Writes ids below the tasks without one that `wants` selects, from `idOf` or new. Returns the ids it wrote. */
  ensureIds(
    file: string,
    wants?: (task: TaskItem) => boolean,
    idOf?: () => (task: TaskItem) => string | undefined,
  ): Promise<readonly string[]>
  /** Returns the first task with this id. */
  find(id: string): FoundTask | undefined
  /** Finds a task by its id or a prefix of it. Returns several if the prefix is ambiguous. */
  findByPrefix(prefix: string): readonly FoundTask[]
}

export interface TaskFilesOptions {
  /** `tasks` of a home. */
  readonly folder: string
  /** The home with the lock. Default: the parent folder. */
  readonly home?: Home
}

const suffix = '.task.md'
/** A file that changed less than this many milliseconds ago could change again with the same stamp. */
const settleMs = 100

export function openTaskFiles({ folder, home = homeAbove(folder) }: TaskFilesOptions): TaskFiles {
  const known = new Map<string, { readonly stamp: string; readonly file: TaskFile }>()
  const ids = new WeakMap<TaskFile, ReadonlyMap<string, TaskItem>>()
  let last: Promise<unknown> = Promise.resolve()

  const at = (file: string): string => {
    if (isTaskFileName(file)) return path.join(folder, file)
    const fix = `Use a name like research${suffix}, without folders.`
    throw new CadreError('usage', `${JSON.stringify(file)} is not a valid name for a task file. ${fix}`)
  }
  const list = () => {
    const names = listFolder(folder).filter((name) => isTaskFileName(name) && !isApprovalsFile(name))
    return names.sort()
  }
  const read = (file: string): TaskFile => {
    const before = known.get(file)
    const found = readPlainTaskFile(at(file), before?.stamp)
    if (found === 'known' && before !== undefined) return before.file
    if (found === 'known') throw new Error('unreachable: the file is unchanged, but was not read before')
    const { content, stamp, changed } = found
    const now = 'raw' in content ? readTaskFile(content.raw) : { tasks: [], problems: [content.problem] }
    const isSettled = changed !== 0 && Math.abs(Date.now() - changed) > settleMs
    if (isSettled) known.set(file, { stamp, file: now })
    else known.delete(file)
    return now
  }
  const idsIn = (file: string): ReadonlyMap<string, TaskItem> => {
    const content = read(file)
    const index = ids.get(content) ?? indexOf(content)
    ids.set(content, index)
    return index
  }
  const taken = () => new Set([...list(), approvalsFile].flatMap((file) => [...idsIn(file).keys()]))

  /** Serialises the changes of this process, so that they do not compete for the lock. */
  const runInOrder = <T>(work: () => T): Promise<T> => {
    const mine = last.catch(() => {}).then(() => withLock(home, 'tasks', work))
    last = mine
    return mine
  }
  const edit = async (file: string, make: (raw: RawText | undefined) => TaskEdit): Promise<TaskEdit> => {
    const where = at(file)
    if (isApprovalsFile(file))
      return refusedEdit(
        'This file contains approval requests. Only a person can approve or reject them: use "cadre approve" or "cadre reject", or edit the file yourself.',
      )
    let result: TaskEdit = { kind: 'same' }
    try {
      await runInOrder(() =>
        editFile(where, (raw) => {
          result = objectionTo(raw) ?? make(raw)
          if (result.kind === 'changed') result = objectionTo(result.raw) ?? result
          return result.kind === 'changed' ? result.raw : undefined
        }),
      )
      return result
    } catch (error) {
      const found = readPlainTaskFile(where)
      if (found !== 'known' && 'problem' in found.content) return refusedEdit(found.content.problem.message)
      if (error instanceof CadreError) throw error
      throw new CadreError('configuration', `cannot change the file: ${sentenceOf(error)}`, {
        where,
        cause: error,
      })
    }
  }
  const editOne = async (
    file: string,
    id: string,
    when: ((task: TaskItem) => boolean) | undefined,
    make: (raw: RawText) => TaskEdit,
  ): Promise<TaskEditResult> => {
    const result = await edit(file, (raw = '') => {
      const task = readWrittenTasks(raw).items.find((one) => one.id === id)
      if (task === undefined) return { kind: 'missing' }
      if (isApprovalType(task.fields.get('type')))
        return refusedEdit(
          'This is an approval request. Only a person can approve or reject it: use "cadre approve" or "cadre reject".',
        )
      return when === undefined || when(task) ? make(raw) : { kind: 'same' }
    })
    if (result.kind !== 'changed') return result
    return { kind: 'changed', task: readWrittenTasks(result.raw).items.find((one) => one.id === id) }
  }

  return {
    list,
    read,
    problems(file) {
      const { tasks, problems } = read(file)
      const earlier = new Map<string, FoundTask>()
      for (const name of list())
        if (name < file) for (const [id, task] of idsIn(name)) earlier.set(id, { file: name, task })
      const twice = tasks.flatMap((task) => {
        const other = task.id === undefined ? undefined : earlier.get(task.id)
        return other === undefined ? [] : [sameIdProblem(task, other)]
      })
      return twice.length === 0 ? problems : [...problems, ...twice].sort((a, b) => a.line - b.line)
    },
    change(file, id, change, when) {
      if (isApprovalType(change.fields?.['type']))
        return Promise.resolve(refusedEdit('A task cannot become an approval.'))
      return editOne(file, id, when, (raw) => changeTask(raw, id, change))
    },
    async add(file, task) {
      if (isApprovalType(task.fields?.['type']))
        throw new CadreError('usage', 'tool calls request approvals. You cannot create them as tasks.')
      let id = task.id ?? ''
      const result = await edit(file, (raw) => {
        const all = taken()
        if (task.id !== undefined && all.has(task.id))
          return refusedEdit(`Another task already has the id ${task.id}.`)
        id = task.id ?? newTaskId(all)
        home.folder(path.relative(home.path, folder))
        return addTask(raw, { ...task, id })
      })
      if (result.kind === 'refused') throw new CadreError('usage', result.reason, { where: at(file) })
      return { id }
    },
    remove: (file, id, when) => editOne(file, id, when, (raw) => removeTask(raw, id)),
    async ensureIds(file, wants, idOf) {
      let made: readonly string[] = []
      await edit(file, (raw = '') => {
        const result = ensureIds(
          raw,
          taken(),
          (task) => !isApprovalType(task.fields.get('type')) && (wants?.(task) ?? true),
          idOf?.(),
        )
        made = result.ids
        return result.ids.length === 0 ? { kind: 'same' } : { kind: 'changed', raw: result.raw }
      })
      return made
    },
    find(id) {
      for (const file of list()) {
        const task = idsIn(file).get(id)
        if (task !== undefined) return { file, task }
      }
      return undefined
    },
    findByPrefix(prefix) {
      const all = list().flatMap((file) => [...idsIn(file).values()].map((task) => ({ file, task })))
      const exact = all.filter(({ task }) => task.id === prefix)
      return exact.length > 0 || prefix === '' ? exact : all.filter(({ task }) => task.id?.startsWith(prefix))
    },
  }
}

/** A file name with the extension of task files, without a path. */
function isTaskFileName(name: string): boolean {
  return name.endsWith(suffix) && name.length > suffix.length && /^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u.test(name)
}

function homeAbove(folder: string): Home {
  return openHome({ home: path.dirname(path.resolve(folder)), cwd: '/', env: {} })
}

function indexOf({ tasks }: TaskFile): ReadonlyMap<string, TaskItem> {
  const index = new Map<string, TaskItem>()
  for (const task of tasks) if (task.id !== undefined && !index.has(task.id)) index.set(task.id, task)
  return index
}

function objectionTo(raw: RawText | undefined): TaskEdit | undefined {
  if (raw === undefined) return undefined
  if (!isText(raw)) return refusedEdit(notText.message)
  return raw.length > maxBytes ? refusedEdit(tooLarge.message) : undefined
}

function sameIdProblem(task: TaskItem, { file, task: other }: FoundTask): TaskProblem {
  return {
    severity: 'error',
    code: 'TD050',
    message: `The task on line ${other.line} in ${file} already has the id ${task.id}. Choose another id.`,
    line: task.line,
    column: 1,
  }
}
