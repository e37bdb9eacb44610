import type { RawText } from '@cadre/disk'
import { readTaskFile } from './read-task-file.ts'
import type { TaskProblem } from './task-item.ts'

/** Returns all problems in a task file, by line. */
export function lintTaskFile(raw: RawText): readonly TaskProblem[] {
  return readTaskFile(raw).problems
}
