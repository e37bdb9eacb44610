import type { TaskChange, TaskFile, TaskItem } from '@cadre/tasks'

export type StoreResult =
  | { readonly kind: 'changed' | 'same' | 'missing' }
  | { readonly kind: 'refused'; readonly reason: string }

/** What running tasks needs of the task files of a home. */
export interface TaskStore {
  /** Names of files, sorted. The file of approvals is not among them. */
  list(): readonly string[]
  read(file: string): TaskFile
  /** Changes a task as it is at this moment on disk; `when` is asked with that, and nothing is changed where it says no. */
  change(
    file: string,
    id: string,
    change: TaskChange,
    when?: (task: TaskItem) => boolean,
  ): Promise<StoreResult>
  /**
   * Gives an id to every task of the file that has none and for which `wants` says so; the new ones. `idOf` says which one,
   * or leaves it open; it is asked anew whenever the file is read anew.
   */
  ensureIds(
    file: string,
    wants: (task: TaskItem) => boolean,
    idOf?: () => (task: TaskItem) => string | undefined,
  ): Promise<readonly string[]>
}
