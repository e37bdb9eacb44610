import { indexTasks, isFinished, type TaskBook } from './task-book.ts'

export interface TaskCounts {
  /** Tasks for agents that have not started. */
  readonly open: number
  readonly running: number
  readonly done: number
  readonly failed: number
  readonly skipped: number
  /** Unfinished tasks for people. */
  readonly people: number
}

/** Counts tasks by state. */
export function countTasks(book: Pick<TaskBook, 'files' | 'agents'>): TaskCounts {
  const { agentOf } = indexTasks({ files: [], agents: book.agents })
  const counts = { open: 0, running: 0, done: 0, failed: 0, skipped: 0, people: 0 }
  for (const { tasks } of book.files)
    for (const task of tasks) {
      const isForPeople = agentOf(task) === undefined && !isFinished(task)
      counts[isForPeople ? 'people' : task.state] += 1
    }
  return counts
}
