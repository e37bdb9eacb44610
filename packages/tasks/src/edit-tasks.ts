import { linesAfterByteOrderMark, type RawText, rawOf } from '@cadre/disk'
import { type Heading, scanTasks, type Task } from './read-tasks.ts'

/** One change of a text, limited to these bytes. */
export interface Splice {
  readonly at: number
  readonly remove: number
  readonly insert: RawText
}

/** Applies changes that do not overlap to a text. Changes at the same position keep their order. */
export function applySplices(raw: RawText, splices: readonly Splice[]): RawText {
  const sorted = splices.map((splice, index) => ({ splice, index }))
  sorted.sort((a, b) => a.splice.at - b.splice.at || a.index - b.index)
  const parts: RawText[] = []
  let done = 0
  for (const { splice } of sorted) {
    parts.push(raw.slice(done, splice.at), splice.insert)
    done = Math.max(done, splice.at + splice.remove)
  }
  return parts.join('') + raw.slice(done)
}

export function markerSplice(task: Task, marker: string): Splice[] {
  if (task.marker === marker) return []
  return [{ at: task.markerAt, remove: rawOf(task.marker).length, insert: rawOf(marker) }]
}

export interface NewField {
  readonly key: string
  readonly value: string
  /** The field to insert it after, if that exists. */
  readonly after?: string
}

/** Sets a field: replaces its value, or adds a line after `after` or before the first block. The value must be one line. */
export function fieldSplice(raw: RawText, task: Task, field: NewField): Splice[] {
  const { key, value, after } = field
  const line = value.replace(/\s+/g, ' ').trim()
  const known = task.fields.find((one) => one.key === key && one.block === undefined)
  if (known !== undefined) {
    if (known.value === line) return []
    const gap = known.value === '' ? ' ' : ''
    return [{ at: known.valueAt, remove: known.valueEnd - known.valueAt, insert: rawOf(gap + line) }]
  }
  const own = task.fields.filter(({ start }) => start < task.end)
  const before = own.find((one) => one.key === after && one.block === undefined)
  const firstBlock = own.find(({ block }) => block !== undefined)
  const indent = before?.indent ?? own[0]?.indent ?? `${task.indent}  `
  const eol = task.eol === '' ? '\n' : task.eol
  const at = before?.end ?? firstBlock?.start ?? task.end
  const lead = at === 0 || raw[at - 1] === '\n' ? '' : eol
  return [{ at, remove: 0, insert: lead + rawOf(`${indent}${key}: ${line}`) + eol }]
}

/** Inserts the lines of a task at the top of `## TODO`, and adds the heading if it is missing. */
export function insertTask(raw: RawText, lines: readonly string[]): RawText {
  const all = linesAfterByteOrderMark(raw)
  const todo = findTodoHeading(scanTasks(raw).headings)
  const heading = todo === undefined ? -1 : all.findIndex(({ start }) => start === todo.start)
  const eol = (all[Math.max(heading, 0)]?.eol ?? '') || '\n'
  const block = lines.map((line) => rawOf(line) + eol).join('')
  if (heading === -1) {
    const gap = raw === '' ? '' : raw.endsWith('\n') ? eol : eol + eol
    return `${raw}${gap}## TODO${eol}${eol}${block}`
  }
  const { end, eol: ending = '' } = all[heading] ?? { end: raw.length }
  // Indented text below the heading is not part of a task, but would become part of ours.
  const below = all.slice(heading + 1)
  const own = below.findIndex(({ text }) => /^[^ \t]|^[ \t]+[-*+][ \t]+\[/.test(text))
  const loose = below.slice(0, own === -1 ? undefined : own).findLast(({ text }) => !/^[ \t]*$/.test(text))
  const next = below[(loose === undefined ? -1 : below.indexOf(loose)) + 1]
  const hasGap = next !== undefined && /^[ \t]*$/.test(next.text)
  const at = hasGap ? next.end : (loose?.end ?? end)
  const isOpen = (hasGap ? next.eol : (loose?.eol ?? ending)) === ''
  const before = `${isOpen ? eol : ''}${hasGap && !isOpen ? '' : eol}`
  const rest = raw.slice(at)
  const after = rest === '' || /^[ \t]*\r?\n/.test(rest) ? '' : eol
  return raw.slice(0, at) + before + block + after + rest
}

/** The heading for new tasks. */
export function findTodoHeading(headings: readonly Heading[]): Heading | undefined {
  return headings.find(({ level, text }) => level === 2 && /^todo$/i.test(text))
}
