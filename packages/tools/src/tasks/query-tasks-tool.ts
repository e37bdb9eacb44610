import { type Infer, object, string, type Tool } from '@cadre/core'
import { builtIn } from '../built-in.ts'
import type { TaskPort } from './task-port.ts'

const input = object({
  query: string("SELECT … FROM tasks/*.task.md WHERE … ORDER BY … LIMIT …; text stands in 'quotes'", {
    min: 1,
  }),
})

export type QueryTasksInput = Infer<typeof input>

export function queryTasksTool(tasks: () => TaskPort): Tool {
  return builtIn<QueryTasksInput>({
    name: 'query_tasks',
    description:
      "Look up tasks in the task files: SELECT id, title, state FROM tasks/*.task.md WHERE who = 'planner' AND NOT completed ORDER BY priority LIMIT 20. " +
      'Fields: id, title, state (open, running, done, skipped, failed), completed, skipped, priority, who, tags, parent, depends_on, section, file, line, completed_at, and every field that is written in a task. ' +
      'Operators: = != < > <= >= LIKE IN (…) CONTAINS IS [NOT] NULL AND OR NOT ( ).',
    class: 'task',
    effect: 'read',
    argumentAliases: { sql: 'query' },
    reshape: asQuery,
    input,
    load: async () => (await import('./query-tasks.ts')).queryTasks(tasks()),
  })
}

/** Elsewhere there is one tool for all tasks and one for a single one. */
function asQuery(given: Record<string, unknown>, spelling: string): Record<string, unknown> {
  if (given['query'] !== undefined) return given
  const known = spelling.toLowerCase()
  const fields = 'id, title, state, priority, who, tags, depends_on, parent, file'
  if (known === 'tasklist') return { query: `SELECT ${fields} FROM tasks/*.task.md` }
  const { taskId } = given
  if (known !== 'taskget' || typeof taskId !== 'string') return given
  return { query: `SELECT * FROM tasks/*.task.md WHERE id = '${taskId.replace(/['\\]/g, '\\$&')}'` }
}
