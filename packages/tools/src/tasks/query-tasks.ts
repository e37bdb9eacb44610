import { CadreError, type Infer, object, string, type Tool } from '@cadre/core'
import { answerSelect, homeQueryFiles, parseQuery, rowObject, type SelectResult } from '@cadre/tasks'
import { builtIn, type ToolImplementation } from '../built-in.ts'
import { Refusal } from '../refusal.ts'
import type { TaskPort } from './task-port.ts'

const input = object({
  query: string("SELECT … FROM tasks/*.task.md WHERE … ORDER BY … LIMIT …; put text in 'quotes'", {
    min: 1,
  }),
})

export type QueryTasksInput = Infer<typeof input>

export function queryTasksTool(tasks: () => TaskPort): Tool {
  return builtIn<QueryTasksInput>({
    name: 'query_tasks',
    description:
      "Look up tasks in the task files: SELECT id, title, state FROM tasks/*.task.md WHERE who = 'planner' AND NOT completed ORDER BY priority LIMIT 20. " +
      'Fields: id, title, state (open, running, done, skipped, failed), completed, skipped, priority, who, tags, parent, depends_on, section, file, line, completed_at, and every other task field. ' +
      'Operators: = != < > <= >= LIKE IN (…) CONTAINS IS [NOT] NULL AND OR NOT ( ).',
    class: 'task',
    effect: 'read',
    argumentAliases: { sql: 'query' },
    reshape: toQuery,
    input,
    load: () => queryTasks(tasks()),
  })
}

/** Other programs have one tool for all tasks and one for a single task. */
function toQuery(given: Record<string, unknown>, spelling: string): Record<string, unknown> {
  if (given['query'] !== undefined) return given
  const known = spelling.toLowerCase()
  const fields = 'id, title, state, priority, who, tags, depends_on, parent, file'
  if (known === 'tasklist') return { query: `SELECT ${fields} FROM tasks/*.task.md` }
  const { taskId } = given
  if (known !== 'taskget' || typeof taskId !== 'string') return given
  return { query: `SELECT * FROM tasks/*.task.md WHERE id = '${taskId.replace(/['\\]/g, '\\$&')}'` }
}

/** The maximum size of one result, and of one value in it. */
const maxResultLength = 24_000
const maxValueLength = 2_000
const maxProblems = 10

function queryTasks(tasks: TaskPort): ToolImplementation<QueryTasksInput> {
  return {
    async run({ query }) {
      try {
        const parsed = parseQuery(query)
        if (parsed.kind !== 'select')
          throw new Refusal(
            'query_tasks only reads. Use SELECT, or create_task or update_task to make changes.',
          )
        if (parsed.into !== undefined)
          throw new Refusal('query_tasks only reads, so INTO is not supported. Omit it.')
        return { content: show(answerSelect(parsed, homeQueryFiles(tasks)), parsed.fields === '*') }
      } catch (error) {
        if (error instanceof CadreError) throw new Refusal(error.message)
        throw error
      }
    },
  }
}

function show({ rows, fields, problems, notes }: SelectResult, matchesAnything: boolean): string {
  const lines: string[] = []
  let size = 0
  for (const row of rows) {
    const line = JSON.stringify(rowObject(row, fields, matchesAnything), truncate)
    size += line.length + 2
    if (size > maxResultLength) break
    lines.push(line)
  }
  const left = rows.length - lines.length
  const more = [
    ...notes,
    ...(left > 0 ? [`${left} more rows are not shown. Select fewer fields, or use WHERE and LIMIT.`] : []),
  ]
  const wrong = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ file, line, column, code, message }) => `${file}:${line}:${column}: ${code} ${message}`)
  const rest = {
    ...(more.length > 0 && { notes: more }),
    ...(wrong.length > 0 && { problems: wrong.slice(0, maxProblems) }),
  }
  const body = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`
  const after = JSON.stringify(rest).slice(1)
  return `{"success":true,"count":${rows.length},"rows":${body}${after === '}' ? '' : ','}${after}`
}

function truncate(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > maxValueLength
    ? `${value.slice(0, maxValueLength)}…`
    : value
}
