import type { TaskFiles } from '@cadre/tasks'

/** What running tasks needs of the task files of a home. */
export type TaskStore = Pick<TaskFiles, 'list' | 'read' | 'change' | 'ensureIds'>
