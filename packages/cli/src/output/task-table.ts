import { type FieldValue, rowObject, type SelectAnswer } from '@cadre/tasks'
import { cleanLine } from './clean-text.ts'
import { textTable } from './text-table.ts'

/** Of everything, what is worth a column: the rest of a task is for its file, and for machines. */
const worthwhile = ['id', 'state', 'priority', 'who', 'tags', 'depends_on', 'title', 'file']

export interface TaskTableRequest extends Pick<SelectAnswer, 'rows' | 'fields'> {
  /** `*` was asked for. */
  readonly isEverything: boolean
  readonly columns: number
}

/** The rows of an answer below each other. */
export function taskTable({ rows, fields, isEverything, columns }: TaskTableRequest): string {
  const names = isEverything ? worthwhile : fields
  const objects = rows.map((row) => rowObject(row, names))
  const files = new Set(rows.map(({ file }) => file))
  const isShown = (name: string) =>
    !isEverything || (name === 'file' ? files.size > 1 : objects.some((row) => row[name] !== null))
  const shown = names.filter(isShown)
  const table = objects.map((row) => shown.map((name) => cellOf(row[name] ?? null)))
  const head = shown.map((name) => cleanLine(name).toUpperCase())
  return textTable(head, table, columns)
}

function cellOf(value: FieldValue): string {
  if (value === null) return ''
  return cleanLine(typeof value === 'object' ? value.join(', ') : String(value))
}
