import { type Book, indexTasks, isAtEnd } from './book.ts'

export interface TaskCounts {
  /** For agents, not begun. */
  readonly open: number
  readonly running: number
  readonly done: number
  readonly failed: number
  readonly skipped: number
  /** Not at an end, and for people. */
  readonly people: number
}

/** How many tasks there are in each state. */
export function countTasks(book: Pick<Book, 'files' | 'agents'>): TaskCounts {
  const { agentOf } = indexTasks({ files: [], agents: book.agents })
  const counts = { open: 0, running: 0, done: 0, failed: 0, skipped: 0, people: 0 }
  for (const { tasks } of book.files)
    for (const task of tasks) {
      const isForPeople = agentOf(task) === undefined && !isAtEnd(task)
      counts[isForPeople ? 'people' : task.state] += 1
    }
  return counts
}
