import type { TaskFiles } from '@cadre/tasks'

/** The task files in a home, as the tools use them. */
export type TaskPort = Pick<TaskFiles, 'list' | 'read' | 'change' | 'add' | 'remove'>
