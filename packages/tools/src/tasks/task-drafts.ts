import { rawOf } from '@cadre/disk'
import { type NewTask, readTaskFile, type TaskItem } from '@cadre/tasks'
import { Refusal } from '../refusal.ts'
import type { CreateTaskInput } from './create-task.ts'
import { rejectReservedFields } from './task-names.ts'

const maxTasks = 200

/** A task to create. */
export interface Draft {
  readonly task: NewTask
  /** The index of its parent among the drafts. */
  readonly below?: number
}

/** Returns the requested tasks, validated as far as possible before the first is written. Throws a `Refusal`. */
export function draftsOf(input: CreateTaskInput): Draft[] {
  return input.content === undefined ? [draftOf(input)] : draftsIn(input)
}

/** Returns the task that a call's arguments describe. */
function draftOf({ title, fields = {}, ...input }: CreateTaskInput): Draft {
  if (title === undefined || title.trim() === '')
    throw new Refusal('Give a title, or content that contains complete tasks.')
  const {
    id,
    priority,
    who = [],
    tags = [],
    description,
    depends_on: before = [],
    approval_required: approval,
  } = input
  const written = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null)
  rejectReservedFields(written)
  if (priority !== undefined && !/^[A-Za-z]$/.test(priority))
    throw new Refusal('priority must be one letter, A to Z.')
  const all = {
    ...Object.fromEntries(written),
    ...(before.length > 0 && { depends_on: before.join(', ') }),
    ...(approval === true && { approval_required: 'true' }),
    ...(description?.trim() && { description }),
  }
  return {
    task: {
      title: title.replace(/\s+/g, ' ').trim(),
      ...(id !== undefined && { id: idOf(id) }),
      ...(priority && { priority: priority.toUpperCase() }),
      ...(who.length > 0 && { who }),
      ...(tags.length > 0 && { tags }),
      fields: all,
    },
  }
}

function draftsIn({ content = '', file: _, parent: __, ...others }: CreateTaskInput): Draft[] {
  const [other] = Object.keys(others)
  if (other !== undefined) throw new Refusal(`content already includes ${other}. Give only one of the two.`)
  const { tasks, problems } = readTaskFile(rawOf(content.trim() === '' ? '' : content))
  const wrong = problems.filter(({ severity }) => severity === 'error')
  if (wrong.length > 0)
    throw new Refusal(
      `The content is invalid: ${wrong
        .slice(0, 5)
        .map(({ line, column, message }) => `${line}:${column} ${message}`)
        .join(' ')}`,
    )
  if (tasks.length === 0)
    throw new Refusal('The content has no task. Write lines such as: - [ ] A @agent "Title"')
  if (tasks.length > maxTasks) throw new Refusal(`Too many tasks in one call (at most ${maxTasks}).`)
  const above: number[] = []
  return tasks.map((task, at) => {
    above.length = Math.min(above.length, task.depth)
    const below = above.at(-1)
    above.push(at)
    return { task: copyOf(task), ...(below !== undefined && { below }) }
  })
}

/** Returns a task without its position. */
function copyOf({ id, line, title, state, priority, who, tags, fields }: TaskItem): NewTask {
  const written = [...fields].filter(([key]) => !['id', 'title', 'parent'].includes(key))
  rejectReservedFields(written)
  if (title === '') throw new Refusal(`Line ${line} of the content has no title. Write: - [ ] "Title"`)
  return {
    title,
    ...(id !== undefined && { id: idOf(id) }),
    // Only a claim makes a task running; a new one is open.
    state: state === 'running' ? 'open' : state,
    ...(priority !== undefined && { priority }),
    who,
    tags,
    fields: Object.fromEntries(written),
  }
}

function idOf(id: string): string {
  if (/^[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,99}$/u.test(id)) return id
  throw new Refusal(`${JSON.stringify(id)} is not a valid id. Use only letters, digits and . _ - :`)
}
