import { randomBytes } from 'node:crypto'

/** A random id, not derived from the text: two tasks with the same title are different tasks. */
export function newTaskId(taken: ReadonlySet<string>): string {
  for (;;) {
    const id = `task-${randomBytes(4).toString('hex')}`
    if (!taken.has(id)) return id
  }
}
