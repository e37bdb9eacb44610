import { CadreError } from '@cadre/core'
import { answerSelect, homeQueryFiles, parseQuery, rowObject, type SelectAnswer } from '@cadre/tasks'
import type { Work } from '../built-in.ts'
import { Refusal } from '../refusal.ts'
import type { QueryTasksInput } from './query-tasks-tool.ts'
import type { TaskPort } from './task-port.ts'

/** What a model is shown of one answer, and of one value in it. */
const most = 24_000
const longest = 2_000
const mostProblems = 10

export function queryTasks(tasks: TaskPort): Work<QueryTasksInput> {
  return {
    async run({ query }) {
      try {
        const parsed = parseQuery(query)
        if (parsed.kind !== 'select')
          throw new Refusal(
            'query_tasks only looks: write SELECT, and use create_task or update_task to change something.',
          )
        if (parsed.into !== undefined)
          throw new Refusal('query_tasks only looks, so INTO cannot be used; leave it out.')
        return { content: show(answerSelect(parsed, homeQueryFiles(tasks)), parsed.fields === '*') }
      } catch (error) {
        if (error instanceof CadreError) throw new Refusal(error.message)
        throw error
      }
    },
  }
}

function show({ rows, fields, problems, notes }: SelectAnswer, isEverything: boolean): string {
  const lines: string[] = []
  let size = 0
  for (const row of rows) {
    const line = JSON.stringify(rowObject(row, fields, isEverything), cut)
    size += line.length + 2
    if (size > most) break
    lines.push(line)
  }
  const left = rows.length - lines.length
  const more = [
    ...notes,
    ...(left > 0 ? [`${left} more are not shown: select fewer fields, or use WHERE and LIMIT.`] : []),
  ]
  const wrong = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ file, line, column, code, message }) => `${file}:${line}:${column}: ${code} ${message}`)
  const rest = {
    ...(more.length > 0 && { notes: more }),
    ...(wrong.length > 0 && { problems: wrong.slice(0, mostProblems) }),
  }
  const body = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`
  const after = JSON.stringify(rest).slice(1)
  return `{"success":true,"count":${rows.length},"rows":${body}${after === '}' ? '' : ','}${after}`
}

function cut(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > longest ? `${value.slice(0, longest)}…` : value
}
