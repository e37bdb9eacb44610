import path from 'node:path'
import { isInside } from '@cadre/disk'
import { homeOf, requireTrustedHome } from '@cadre/runtime'
import {
  answerSelect,
  approvalsFile,
  type FieldValue,
  homeQueryFiles,
  openQueryFiles,
  openTaskFiles,
  parseQuery,
  type Query,
  QueryError,
  type QueryResult,
  rowObject,
  runQuery,
  type SelectResult,
} from '@cadre/tasks'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import { formatCount } from '../../output/numbers.ts'
import { availableWidth, textTable } from '../../output/text-table.ts'
import { lintTasks, problemLine } from './tasks-lint.ts'

export interface TasksFlags {
  readonly lint?: boolean
  readonly home?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre tasks`. */
export async function queryTasks(io: Io, flags: TasksFlags, query?: string): Promise<ExitCode> {
  try {
    if (flags.lint) return lintTasks(io, flags, query)
    if (query === undefined) return listOpen(io, flags)
    const parsed = parseQuery(query)
    await requireTrustedTarget(io, flags, parsed)
    const answer = await runQuery(parsed, openQueryFiles({ folder: io.cwd }))
    printMessages(io, answer)
    if (answer.kind === 'select' && answer.into === undefined) showRows(io, flags, parsed, answer)
    else io.stdout.write(`${flags.json ? JSON.stringify(toJson(answer)) : describeAnswer(answer)}\n`)
    return exitCodes.done
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    // Not a one-line error: the caret would point to the wrong position.
    if (flags.json) {
      const { code, sentence, column } = error
      io.stdout.write(`${JSON.stringify({ type: 'error', code, message: cleanLine(sentence), column })}\n`)
    } else io.stderr.write(`cadre: ${cleanText(error.message)}\n`)
    return exitCodes.usage
  }
}

/** A query that changes a file of a home affects its agents. */
async function requireTrustedTarget(io: Io, flags: TasksFlags, query: Query): Promise<void> {
  const changed = query.kind === 'select' ? query.into : query.file
  if (changed === undefined) return
  const home = homeOf(io, flags.home).path
  const [fixed = ''] = /^[^*?[{]*/.exec(changed.name) ?? []
  const target = path.resolve(io.cwd, fixed)
  const folder = fixed === changed.name ? target : path.resolve(io.cwd, path.dirname(`${fixed}x`))
  if (isInside(home, folder) || isInside(folder, home)) await requireTrustedHome(io, flags)
}

const openTasks =
  'SELECT id, state, priority, who, title, file FROM tasks/*.task.md ' +
  `WHERE state IN ('open', 'running') AND file != 'tasks/${approvalsFile}'`

function listOpen(io: Io, flags: TasksFlags): ExitCode {
  const home = homeOf(io, flags.home)
  const query = parseQuery(openTasks)
  if (query.kind !== 'select') throw new Error('unreachable: a SELECT was parsed as another statement')
  const answer = answerSelect(query, homeQueryFiles(openTaskFiles({ folder: home.at('tasks') })))
  printMessages(io, { problems: answer.problems, notes: [] })
  if (answer.rows.length > 0 || flags.json) showRows(io, flags, query, answer)
  else io.stdout.write(`No open tasks in ${cleanLine(home.at('tasks'))}.\n`)
  return exitCodes.done
}

function showRows(io: Io, { json }: TasksFlags, query: Query, answer: SelectResult): void {
  const matchesAnything = query.kind === 'select' && query.fields === '*'
  if (json) {
    const rows = answer.rows.map((row) => rowObject(row, answer.fields, matchesAnything))
    io.stdout.write(`${JSON.stringify(rows)}\n`)
  } else if (answer.rows.length > 0)
    io.stdout.write(taskTable({ ...answer, matchesAnything, columns: availableWidth(io.stdout) }))
  else io.stdout.write('No matching tasks.\n')
}

/** Messages for a person, which must not be mixed with the rows. */
function printMessages(io: Io, { problems, notes }: Pick<SelectResult, 'problems' | 'notes'>): void {
  for (const note of notes) io.stderr.write(`cadre: ${cleanLine(note)}\n`)
  for (const problem of problems)
    if (problem.severity === 'error') io.stderr.write(`${problemLine(problem)}\n`)
}

function describeAnswer(answer: QueryResult): string {
  switch (answer.kind) {
    case 'select':
      return `Wrote ${formatCount(answer.rows.length, 'task')} to ${cleanLine(answer.into ?? '')}`
    case 'insert':
      return `Inserted 1 task: ${cleanLine(answer.id)}`
    case 'update':
      return `Updated ${formatCount(answer.updated, 'task')}`
    case 'delete':
      return `Deleted ${formatCount(answer.deleted, 'task')}`
  }
}

function toJson(answer: QueryResult): object {
  switch (answer.kind) {
    case 'select':
      return { written: answer.rows.length, file: answer.into }
    case 'insert':
      return { inserted: 1, id: answer.id, file: answer.file }
    case 'update':
      return { updated: answer.updated }
    case 'delete':
      return { deleted: answer.deleted }
  }
}

/** The fields shown as columns; the others are in the file and in the JSON output. */
const columnFields = ['id', 'state', 'priority', 'who', 'tags', 'depends_on', 'title', 'file']

interface TaskTableRequest extends Pick<SelectResult, 'rows' | 'fields'> {
  /** `*` was requested. */
  readonly matchesAnything: boolean
  readonly columns: number
}

/** The rows of an answer below each other. */
function taskTable({ rows, fields, matchesAnything, columns }: TaskTableRequest): string {
  const names = matchesAnything ? columnFields : fields
  const objects = rows.map((row) => rowObject(row, names))
  const files = new Set(rows.map(({ file }) => file))
  const isShown = (name: string) =>
    !matchesAnything || (name === 'file' ? files.size > 1 : objects.some((row) => row[name] !== null))
  const shown = names.filter(isShown)
  const table = objects.map((row) => shown.map((name) => cellOf(row[name] ?? null)))
  const head = shown.map((name) => cleanLine(name).toUpperCase())
  return textTable(head, table, columns)
}

function cellOf(value: FieldValue): string {
  if (value === null) return ''
  return cleanLine(typeof value === 'object' ? value.join(', ') : String(value))
}
