import type { TaskFiles } from '@cadre/tasks'

/** The operations on task files that running tasks needs. */
export type TaskStore = Pick<TaskFiles, 'list' | 'read' | 'change' | 'ensureIds'>
