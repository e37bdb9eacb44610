import type { TaskItem } from '../task-item.ts'
import type { QueryFiles } from './answer-select.ts'

export function taskOf(given: Partial<TaskItem> & { readonly id?: string | undefined }): TaskItem {
  return {
    line: 1,
    state: 'open',
    priority: undefined,
    who: [],
    tags: [],
    title: 'A task',
    fields: new Map(),
    parent: undefined,
    dependsOn: [],
    section: 'TODO',
    depth: 0,
    ...given,
    id: given.id,
  }
}

/** One file, `a.task.md`, with these tasks. */
export function filesWith(tasks: readonly TaskItem[]): QueryFiles {
  return { match: (name) => [name], read: () => ({ tasks, problems: [] }) }
}
