import { randomBytes } from 'node:crypto'

/** By chance, not from what the task says: two tasks with the same title are two tasks. */
export function newTaskId(taken: ReadonlySet<string>): string {
  for (;;) {
    const id = `task-${randomBytes(4).toString('hex')}`
    if (!taken.has(id)) return id
  }
}
