import type { RawText } from '@cadre/disk'
import { applySplices, type Splice } from './edit-tasks.ts'
import { fieldEdit } from './field-edit.ts'
import { editHead } from './head-edit.ts'
import { type ExpectedTask, isIntendedEdit } from './is-intended-edit.ts'
import { refusedEdit, type TaskEdit } from './task-edit.ts'
import type { TaskChange, TaskItem, TaskState } from './task-item.ts'
import { isFailed, stateFromMarker } from './task-state.ts'
import { normaliseValue } from './task-values.ts'
import { invalidChangeReason, normaliseTitle } from './task-words.ts'
import { type ReadFile, readWrittenTasks, type WrittenTask } from './written-tasks.ts'

/**
 * Changes one task of a text, and only the bytes of the named fields. Verifies the result by reading it: it has the change, and nothing
 * else differs. Otherwise refuses, with the reason.
 */
export function changeTask(raw: RawText, id: string, change: TaskChange): TaskEdit {
  const read = readWrittenTasks(raw)
  const found = taskWithId(read, id)
  if (typeof found === 'object' && 'kind' in found) return found
  const one = read.written[found]
  if (one?.item === undefined) return { kind: 'missing' }
  const objection = invalidChangeReason(change, one.item)
  if (objection !== undefined) return refusedEdit(objection)
  const plan = planOf(one, one.item, change)
  const next = read.written[found + 1]
  const child = next?.task.above === found ? next : undefined
  // Unquoted, as a person would write it; quoted if that would be misread.
  for (const careful of [false, true]) {
    const after = applySplices(raw, splicesOf({ raw, one, child, plan, careful }))
    if (after === raw) return careful ? notChangeable(one) : { kind: 'same' }
    if (isIntendedEdit(read, readWrittenTasks(after), { at: found, expected: plan.expected }))
      return { kind: 'changed', raw: after }
  }
  return notChangeable(one)
}

/** Returns the index of the only task with this id. */
export function taskWithId(read: ReadFile, id: string): number | TaskEdit {
  const places: number[] = []
  for (const [index, { item }] of read.written.entries()) if (item?.id === id) places.push(index)
  const [place, second] = places
  if (place === undefined) return { kind: 'missing' }
  if (second === undefined) return place
  const lines = places.map((index) => read.written[index]?.task.line).join(' and ')
  return refusedEdit(`Several tasks have the id ${id}, on lines ${lines}. Give each a different id.`)
}

function notChangeable({ task }: WrittenTask): TaskEdit {
  return refusedEdit(
    `Changing the task on line ${task.line} would change the meaning of other tasks. Correct the lines around it: "cadre lint" lists the problems.`,
  )
}

interface Plan {
  readonly change: TaskChange
  /** The stored values, including fields that follow from the state. */
  readonly fields: ReadonlyMap<string, string | null>
  readonly expected: ExpectedTask
}

function planOf({ head }: WrittenTask, item: TaskItem, change: TaskChange): Plan {
  const fields = new Map<string, string | null>()
  for (const [key, value] of Object.entries(change.fields ?? {}))
    fields.set(key, value === null ? null : normaliseValue(value))
  if (change.state !== undefined && !fields.has('status')) {
    const status = item.fields.get('status')
    if (change.state === 'failed' && !isFailed(status)) fields.set('status', 'failed')
    else if (status !== undefined && isStale(status, change.state)) fields.set('status', null)
  }
  const title = change.title === undefined ? undefined : normaliseTitle(change.title)
  // A title in a field stays in the field.
  const isOnLine = head.tokens.some(({ kind }) => kind === 'title')
  const isField = item.fields.has('title') && !isOnLine
  if (title !== undefined && isField) fields.set('title', title)
  const after = new Map(item.fields)
  for (const [key, value] of fields) {
    if (value === null) after.delete(key)
    else after.set(key, value)
  }
  const state = change.state ?? item.state
  return {
    change: withTitle(change, isField ? undefined : title),
    fields,
    expected: {
      state:
        state === 'skipped' || state === 'failed'
          ? isFailed(after.get('status'))
            ? 'failed'
            : 'skipped'
          : state,
      title:
        isOnLine || (title !== undefined && !isField) ? (title ?? item.title) : (after.get('title') ?? ''),
      priority: change.priority === undefined ? item.priority : (change.priority ?? undefined),
      who: change.who ?? item.who,
      tags: change.tags ?? item.tags,
      fields: after,
    },
  }
}

function withTitle({ title: _, ...change }: TaskChange, title: string | undefined): TaskChange {
  return title === undefined ? change : { ...change, title }
}

/** Returns whether the status contradicts the state of the task. */
function isStale(status: string, state: TaskState): boolean {
  return /^(?:failed|skipped)$/i.test(status) && status.toLowerCase() !== state
}

const markers: Readonly<Record<TaskState, string>> = {
  open: ' ',
  running: '~',
  done: 'x',
  skipped: '-',
  failed: '-',
}

export function markerOf(state: TaskState): string {
  return markers[state]
}

interface SpliceRequest {
  readonly raw: RawText
  readonly one: WrittenTask
  readonly child: WrittenTask | undefined
  readonly plan: Plan
  readonly careful: boolean
}

function splicesOf({ raw, one, child, plan, careful }: SpliceRequest): Splice[] {
  const { task, head } = one
  const { change, fields } = plan
  const inHead = new Set(head.tokens.flatMap((token) => (token.kind === 'field' ? [token.key] : [])))
  const below = [...fields].filter(
    ([key, value]) => !inHead.has(key) || value === null || value.includes('\n'),
  )
  const headFields = [...fields].map(([key, value]) => [key, value?.includes('\n') ? null : value] as const)
  const line = editHead(task.rawHead, head, {
    ...change,
    fields: new Map(headFields),
    oneMarker: change.state !== undefined,
    careful,
  })
  const gap = task.rawHead === '' && raw[task.headAt - 1] === ']' ? ' ' : ''
  return [
    ...markerEdit(one, change.state),
    ...(line === task.rawHead
      ? []
      : [{ at: task.headAt, remove: task.rawHead.length, insert: (line === '' ? '' : gap) + line }]),
    ...below.flatMap(([key, value]) => fieldEdit({ raw, task, child: child?.task, key, value, careful })),
  ]
}

/** Keeps a marker with the same meaning. */
function markerEdit({ task }: WrittenTask, state: TaskState | undefined): Splice[] {
  if (state === undefined) return []
  const says = stateFromMarker(task.marker)
  const isSame = says === (state === 'failed' ? 'skipped' : state)
  return isSame ? [] : [{ at: task.markerAt, remove: rawLength(task.marker), insert: markerOf(state) }]
}

function rawLength(text: string): number {
  return Buffer.byteLength(text)
}
