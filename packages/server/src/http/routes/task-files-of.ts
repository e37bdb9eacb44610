import { openTaskFiles, type TaskFiles } from '@cadre/tasks'
import type { ApiContext } from '../api-context.ts'

const opened = new WeakMap<object, TaskFiles>()

/** A home's task files. Opened once for each page, because it caches the files that it has read. */
export function taskFilesOf({ home }: Pick<ApiContext, 'home'>): TaskFiles {
  const known = opened.get(home) ?? openTaskFiles({ folder: home.at('tasks'), home })
  opened.set(home, known)
  return known
}
