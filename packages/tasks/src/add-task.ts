import { isBlank, lineEndingOf, linesOf, type RawText, rawOf } from '@cadre/disk'
import { markerOf, taskWithId } from './change-task.ts'
import { applySplices, findTodoHeading, type Splice } from './edit-tasks.ts'
import { contentOf, fieldIndent, replaceLines } from './field-edit.ts'
import { formatTitle } from './head-edit.ts'
import { type ExpectedTask, isIntendedEdit } from './is-intended-edit.ts'
import type { Heading } from './read-tasks.ts'
import { refusedEdit, type TaskEdit } from './task-edit.ts'
import type { NewTask } from './task-item.ts'
import { isReferableId } from './task-problems.ts'
import { normaliseValue, valueFormOf } from './task-values.ts'
import { invalidChangeReason, normaliseTitle } from './task-words.ts'
import { type ReadFile, readWrittenTasks } from './written-tasks.ts'

export interface AddOptions {
  /** The heading to add it under, as written. Default: `## TODO`. Created if it is missing. */
  readonly section?: string
}

/**
 * Adds a task below its parent, or at the end of its section. Does not change existing bytes, and escapes the task's text so that it reads
 * back unchanged.
 */
export function addTask(
  raw: RawText | undefined,
  task: NewTask & { readonly id: string },
  options: AddOptions = {},
): TaskEdit {
  const { id, parent } = task
  const text = raw ?? ''
  const read = readWrittenTasks(text)
  const isSaid = task.state !== 'failed' || task.fields?.['status'] !== undefined
  const all = { ...task.fields, ...(!isSaid && { status: 'failed' }) }
  const objection = invalidChangeReason({ ...task, state: task.state ?? 'open', fields: all }, undefined)
  if (objection !== undefined) return refusedEdit(objection)
  if (!isReferableId(id))
    return refusedEdit(`${JSON.stringify(id)} is not a valid id. An id is one word without commas.`)
  const same = read.items.find((item) => item.id === id)
  if (same !== undefined) return refusedEdit(`The task on line ${same.line} already has the id ${id}.`)
  const above = parent === undefined ? undefined : taskWithId(read, parent)
  if (typeof above === 'object')
    return above.kind === 'missing'
      ? refusedEdit(`This file has no task with the id ${parent}, the parent of the new task.`)
      : above
  const expected = expectedOf(task, id, all)
  const places = above === undefined ? sectionPlaces(text, read, options) : [parentPlace(text, read, above)]
  for (const careful of [false, true])
    for (const place of places) {
      const after = applySplices(text, [place.splice(linesOfTask(expected, place, careful))])
      const reread = readWrittenTasks(after)
      const at = reread.written.findIndex(({ item }) => item?.id === id)
      const isBelow = reread.written[at]?.task.above === (above ?? -1)
      if (at !== -1 && isBelow && isIntendedEdit(read, reread, { at, added: 1, expected }))
        return { kind: 'changed', raw: after }
    }
  return refusedEdit(
    'Adding the task would change the meaning of other tasks. Correct the file: "cadre lint" lists its problems.',
  )
}

function expectedOf(task: NewTask, id: string, fields: Readonly<Record<string, string>>): ExpectedTask {
  const kept = Object.entries(fields).map(([key, value]) => [key, normaliseValue(value)] as const)
  return {
    state: task.state ?? 'open',
    title: normaliseTitle(task.title),
    priority: task.priority,
    who: task.who ?? [],
    tags: task.tags ?? [],
    fields: new Map([['id', id], ...kept]),
  }
}

interface Place {
  readonly indent: string
  readonly bullet: string
  splice(lines: readonly RawText[]): Splice
}

function linesOfTask(task: ExpectedTask, { indent, bullet }: Place, careful: boolean): RawText[] {
  const words = [
    `${bullet} [${markerOf(task.state)}]`,
    ...(task.priority === undefined ? [] : [task.priority]),
    ...task.who.map((name) => `@${name}`),
    ...task.tags.map((name) => `#${name}`),
    formatTitle(task.title, '"'),
  ]
  const inner = fieldIndent({ indent }, undefined)
  const fields = [...task.fields].flatMap(([key, value]) => {
    const form = valueFormOf(value, { quoted: careful })
    if (form.kind === 'line') return [rawOf(`${inner}${key}: ${form.text}`)]
    return [`${inner}${key}: ${form.sign}`, ...contentOf(form.lines, inner)]
  })
  return [rawOf(indent + words.join(' ')), ...fields]
}

function parentPlace(raw: RawText, read: ReadFile, above: number): Place {
  const parent = read.written[above]?.task
  const child = read.written.find(({ task }) => task.above === above)?.task
  if (parent === undefined) throw new Error('unreachable: the parent task is missing')
  const field = parent.fields.find(({ start }) => start < parent.end)
  return {
    indent: child?.indent ?? field?.indent ?? fieldIndent(parent, undefined),
    bullet: (child ?? parent).bullet,
    splice: (lines) => replaceLines(raw, parent.treeEnd, 0, lines, parent.eol || lineEndingOf(raw)),
  }
}

/** At the end of the section or, if that is not possible, under a new heading at the end of the file. */
function sectionPlaces(raw: RawText, read: ReadFile, { section }: AddOptions): Place[] {
  const { headings } = read.scan
  const heading =
    section === undefined ? findTodoHeading(headings) : headings.find(({ text }) => text === section)
  const eol = lineEndingOf(raw)
  const title = section ?? 'TODO'
  const bullet = read.written.at(-1)?.task.bullet ?? '-'
  const atEnd: Place = {
    indent: '',
    bullet,
    splice: (lines) => {
      const gap = raw === '' ? '' : raw.endsWith('\n') ? eol : eol + eol
      return {
        at: raw.length,
        remove: 0,
        insert: `${gap}## ${rawOf(title)}${eol}${eol}${lines.join(eol)}${eol}`,
      }
    },
  }
  return heading === undefined ? [atEnd] : [endOf(raw, read, heading, bullet), atEnd]
}

function endOf(raw: RawText, read: ReadFile, heading: Heading, bullet: string): Place {
  const { headings } = read.scan
  const index = headings.indexOf(heading)
  const until = headings[index + 1]?.start ?? raw.length
  const roots = read.written
    .filter(({ task }) => task.section === index && task.above === -1)
    .map(({ task }) => task)
  const last = roots.at(-1)
  const before = roots.at(-2)
  const isTight = before !== undefined && last !== undefined && before.treeEnd === last.start
  const at = skipIndented(raw, last?.treeEnd ?? heading.end, { until, isEmpty: last === undefined })
  const eol = lineEndingOf(raw)
  return {
    indent: '',
    bullet: last?.bullet ?? bullet,
    splice: (lines) => {
      const { insert } = replaceLines(raw, at, 0, lines, eol)
      const isOpen = at > 0 && raw[at - 1] !== '\n'
      const rest = raw.slice(at, at + 200)
      const after = isTight || rest === '' || /^[ \t]*\r?\n/.test(rest) ? '' : eol
      const lead = isTight ? '' : eol
      return {
        at,
        remove: 0,
        insert: (isOpen ? eol + lead + insert.slice(eol.length) : lead + insert) + after,
      }
    },
  }
}

/**
 * Indented text outside a task would become part of a task inserted before it. In a section without tasks, the end is after all of its
 * text.
 */
function skipIndented(
  raw: RawText,
  from: number,
  { until, isEmpty }: { until: number; isEmpty: boolean },
): number {
  let end = from
  for (const line of linesOf(raw.slice(from, until))) {
    if (isBlank(line.text)) continue
    if (!isEmpty && !/^[ \t]/.test(line.text)) break
    end = from + line.end
  }
  return end
}
