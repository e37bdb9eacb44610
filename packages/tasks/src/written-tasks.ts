import type { RawText } from '@cadre/disk'
import { type Heading, type ScannedTasks, scanTasks, type Task } from './read-tasks.ts'
import { type Rescan, rescanTasks } from './rescan.ts'
import { readHead, type TaskHead } from './task-head.ts'
import type { TaskItem } from './task-item.ts'
import { stateOf } from './task-state.ts'
import { fieldValue } from './task-values.ts'

/** A task as written, and its meaning. */
export interface WrittenTask {
  readonly task: Task
  readonly head: TaskHead
  /** Undefined if its marker is invalid, so its state is unknown. */
  readonly item: TaskItem | undefined
}

export interface ReadFile {
  readonly scan: ScannedTasks
  readonly written: readonly WrittenTask[]
  readonly items: readonly TaskItem[]
}

export interface RecentContent {
  readonly raw: RawText
  readonly read: ReadFile
}

/** A cache of recently read texts: an edit reads its input, and its output is read next. */
const recent: RecentContent[] = []
const maxRecent = 2

export function readWrittenTasks(raw: RawText): ReadFile {
  const known = recent.find((one) => one.raw === raw)
  if (known !== undefined) return known.read
  const read = readChangedTasks(recent, raw) ?? readTasksUncached(raw)
  recent.unshift({ raw, read })
  recent.length = Math.min(recent.length, maxRecent)
  return read
}

/** Reads everything, without the cache. */
export function readTasksUncached(raw: RawText): ReadFile {
  const scan = scanTasks(raw)
  const written: WrittenTask[] = []
  addWritten(written, scan, scan.tasks.length)
  return withItems(scan, written)
}

/**
 * Reads only the parts that differ from a text that was read before. Returns `undefined` if there is none. The result equals that of
 * `readTasksUncached`.
 */
export function readChangedTasks(
  known: readonly RecentContent[],
  raw: RawText,
  minScanLength?: number,
): ReadFile | undefined {
  for (const { raw: old, read } of known) {
    const again = rescanTasks({ raw: old, scan: read.scan }, raw, minScanLength)
    if (again !== undefined) return joinScans(read, again)
  }
  return undefined
}

function joinScans(read: ReadFile, { scan, before, behind, isInPlace }: Rescan): ReadFile {
  const written = read.written.slice(0, before)
  addWritten(written, scan, scan.tasks.length - behind)
  for (const one of read.written.slice(read.written.length - behind)) {
    const task = scan.tasks[written.length]
    if (task === undefined) break
    const section = sectionOf(task, scan.headings)
    if (isInPlace && (one.item === undefined || one.item.section === section)) written.push(one)
    else written.push({ task, head: one.head, item: one.item && { ...one.item, line: task.line, section } })
  }
  return withItems(scan, written)
}

/** Adds the missing tasks up to the index `until`. The first of them is a top-level task. */
function addWritten(written: WrittenTask[], scan: ScannedTasks, until: number): void {
  const from = written.length
  /** The parent of each task: the nearest task above with a valid marker. */
  const parents: (WrittenTask | undefined)[] = []
  for (let place = from; place < until; place++) {
    const task = scan.tasks[place]
    if (task === undefined) return
    const head = readHead(task.rawHead)
    const nearest = written[task.above]
    const above = nearest?.item === undefined ? parents[task.above - from] : nearest
    parents.push(above)
    written.push({ task, head, item: itemOf({ task, head, above: above?.item, headings: scan.headings }) })
  }
}

function withItems(scan: ScannedTasks, written: readonly WrittenTask[]): ReadFile {
  const items: TaskItem[] = []
  for (const { item } of written) if (item !== undefined) items.push(item)
  return { scan, written, items }
}

function sectionOf(task: Task, headings: readonly Heading[]): string {
  return headings[task.section]?.text ?? ''
}

interface ItemRequest {
  readonly task: Task
  readonly head: TaskHead
  readonly above: TaskItem | undefined
  readonly headings: readonly Heading[]
}

function itemOf({ task, head, above, headings }: ItemRequest): TaskItem | undefined {
  const fields = fieldsOf(task, head)
  const state = stateOf(task, head, fields)
  if (state === undefined) return undefined
  const who: string[] = []
  const tags: string[] = []
  let priority: string | undefined
  let title: string | undefined
  for (const token of head.tokens) {
    if (token.kind === 'who') who.push(token.text)
    else if (token.kind === 'tag') tags.push(token.text)
    else if (token.kind === 'priority') priority ??= token.text
    else if (token.kind === 'title') title ??= token.text
  }
  return {
    id: fields.get('id') || undefined,
    line: task.line,
    state,
    priority,
    who,
    tags,
    title: title ?? fields.get('title') ?? '',
    fields,
    parent: above?.id ?? (fields.get('parent') || undefined),
    dependsOn: listOf(fields.get('depends_on')),
    section: sectionOf(task, headings),
    depth: above === undefined ? 0 : above.depth + 1,
  }
}

const none: readonly string[] = []

function listOf(value: string | undefined): readonly string[] {
  return value ? value.split(/[\s,]+/).filter((one) => one !== '') : none
}

/** The first occurrence of a duplicate field applies. */
function fieldsOf(task: Task, head: TaskHead): Map<string, string> {
  const fields = new Map<string, string>()
  for (const token of head.tokens)
    if (token.kind === 'field' && !fields.has(token.key)) fields.set(token.key, token.text)
  for (const field of task.fields) if (!fields.has(field.key)) fields.set(field.key, fieldValue(field))
  return fields
}
