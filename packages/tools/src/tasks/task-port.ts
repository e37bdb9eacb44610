import type { NewTask, TaskChange, TaskFile, TaskItem } from '@cadre/tasks'

/** The task files of a home, as the tools use them. */
export interface TaskPort {
  /** Names of files, without the one of the approvals. */
  list(): readonly string[]
  read(file: string): TaskFile
  change(
    file: string,
    id: string,
    change: TaskChange,
    when?: (task: TaskItem) => boolean,
  ): Promise<{ readonly kind: 'changed' | 'same' | 'missing' | 'refused'; readonly reason?: string }>
  add(file: string, task: NewTask): Promise<{ readonly id: string }>
  remove(file: string, id: string): Promise<unknown>
}
