import { lineEndingOf, type RawText, rawOf, widthOf } from '@cadre/disk'
import type { Splice } from './edit-tasks.ts'
import type { Task, TaskField } from './read-tasks.ts'
import { fieldValue, type ValueForm, valueFormOf } from './task-values.ts'

export interface FieldEdit {
  readonly raw: RawText
  readonly task: Task
  /** Its first subtask. */
  readonly child: Task | undefined
  readonly key: string
  /** The stored value. Null removes all occurrences of the field. */
  readonly value: string | null
  /** Always quoted, on one line. */
  readonly careful?: boolean
}

/** Sets a field below the line of a task, and changes no other bytes. */
export function fieldEdit(edit: FieldEdit): Splice[] {
  const { raw, task, key, value, careful = false } = edit
  const there = task.fields.filter((field) => field.key === key)
  if (value === null) return there.map(({ start, end }) => ({ at: start, remove: end - start, insert: '' }))
  const [known] = there
  if (known !== undefined && fieldValue(known) === value && !careful) return []
  const form = valueFormOf(value, { quoted: careful })
  return known === undefined
    ? [newField(edit, form)]
    : changedField(raw, known, form, task.eol || lineEndingOf(raw))
}

function changedField(raw: RawText, field: TaskField, form: ValueForm, eol: string): Splice[] {
  const { valueAt, valueEnd, lineEnd, end } = field
  const gap = valueAt === valueEnd ? ' ' : ''
  const first = form.kind === 'line' ? form.text : form.sign
  const said: Splice = { at: valueAt, remove: valueEnd - valueAt, insert: gap + rawOf(first) }
  const splices = raw.slice(valueAt, valueEnd) === rawOf(first) ? [] : [said]
  if (form.kind === 'block' || end > lineEnd) {
    const lines = form.kind === 'block' ? contentOf(form.lines, field.indent) : []
    splices.push(replaceLines(raw, lineEnd, end - lineEnd, lines, eol))
  }
  return splices
}

/**
 * A single line goes after other lines and before blocks. A block goes to the end, indented as deep as the first subtask, which would
 * otherwise become part of the block.
 */
function newField({ raw, task, child, key }: FieldEdit, form: ValueForm): Splice {
  const eol = task.eol || lineEndingOf(raw)
  const own = task.fields.filter(({ start }) => start < task.end)
  const lastLine = own.findLast(({ rawBlock }) => rawBlock === undefined)
  if (form.kind === 'line') {
    const indent = lastLine?.indent ?? own[0]?.indent ?? fieldIndent(task, child)
    const at = lastLine?.end ?? own[0]?.start ?? task.lineEnd
    return replaceLines(raw, at, 0, [rawOf(`${indent}${key}: ${form.text}`)], eol)
  }
  const wanted = own.at(-1)?.indent ?? fieldIndent(task, child)
  const indent = child !== undefined && child.width > widthOf(wanted) ? child.indent : wanted
  const lines = [`${indent}${key}: ${form.sign}`, ...contentOf(form.lines, indent)]
  return replaceLines(raw, task.end, 0, lines, eol)
}

/** The indentation of the fields of a task. */
export function fieldIndent(task: Pick<Task, 'indent'>, child: Pick<Task, 'indent'> | undefined): string {
  return child?.indent ?? task.indent + (task.indent.includes('\t') ? '\t' : '  ')
}

export function contentOf(lines: readonly string[], indent: string): RawText[] {
  return lines.map((line) => (line === '' ? '' : rawOf(`${indent}  ${line}`)))
}

/** Replaces whole lines. Keeps a missing line ending at the end of the file. */
export function replaceLines(
  raw: RawText,
  at: number,
  remove: number,
  lines: readonly RawText[],
  eol: string,
): Splice {
  if (lines.length === 0) return { at, remove, insert: '' }
  const isOpen = at > 0 && raw[at - 1] !== '\n'
  const isEnd = at + remove === raw.length && raw[raw.length - 1] !== '\n'
  return { at, remove, insert: (isOpen ? eol : '') + lines.join(eol) + (isEnd ? '' : eol) }
}
