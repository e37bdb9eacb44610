import type { Problem, Problems } from '@cadre/channels'
import type { Plan, SessionStates } from './plan-tasks.ts'
import type { PlacedTask, TaskBook } from './task-book.ts'

const about = 'tasks'
type Finding = Omit<Problem, 'file'>

export interface TaskReports {
  /** Reports the current problems of files and tasks. */
  report(
    book: TaskBook,
    plan: Plan,
    states: SessionStates,
    refusals: readonly (readonly [PlacedTask, string])[],
  ): void
  /** Reports a failed check. The next successful one clears it. */
  fail(message: string): void
}

/** Reports problems in task files, with their lines, until they are fixed. */
export function createTaskReports(problems: Problems): TaskReports {
  const said = new Map<string, string>()
  const say = (file: string, findings: readonly Finding[]) => {
    const text = JSON.stringify(findings)
    if ((said.get(file) ?? '[]') === text) return
    said.set(file, text)
    problems.report(about, file, findings)
  }
  return {
    report(book, plan, states, refusals) {
      const found = new Map<string, Finding[]>()
      for (const { file, problems: own } of book.files)
        found.set(
          file,
          own.map((problem) => ({ ...problem })),
        )
      const add = ({ file, id, task }: PlacedTask, code: string, message: string) =>
        found.get(file)?.push({ severity: 'error', code, line: task.line, message: `Task ${id}: ${message}` })
      for (const { placed, code, message } of plan.troubles) add(placed, code, message)
      for (const [at, reason] of refusals) add(at, 'refused', `Cadre cannot change it: ${reason}`)
      for (const { file, tasks } of book.files)
        for (const task of tasks) {
          const state = task.state === 'running' ? states.get(task.fields.get('session') ?? '') : undefined
          if (state?.kind === 'broken')
            add(
              { file, id: task.id ?? '', task },
              'session',
              `the task's session is damaged: ${state.message}`,
            )
        }
      for (const file of said.keys())
        if (file.startsWith('tasks/') && !found.has(file.slice('tasks/'.length))) say(file, [])
      for (const [file, findings] of found) say(`tasks/${file}`, findings)
      say('[tasks]', [])
    },
    fail(message) {
      say('[tasks]', [{ severity: 'error', message: `Cannot process tasks: ${message}` }])
    },
  }
}
