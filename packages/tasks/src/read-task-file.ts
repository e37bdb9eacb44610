import type { RawText } from '@cadre/disk'
import type { TaskFile } from './task-item.ts'
import { problemsOf } from './task-problems.ts'
import { type ReadFile, readWrittenTasks } from './written-tasks.ts'

const known = new WeakMap<ReadFile, TaskFile>()

/** Reads the tasks of a file and its problems. Never throws. */
export function readTaskFile(raw: RawText): TaskFile {
  const read = readWrittenTasks(raw)
  const before = known.get(read)
  if (before !== undefined) return before
  const file = { tasks: read.items, problems: problemsOf(raw, read) }
  known.set(read, file)
  return file
}
