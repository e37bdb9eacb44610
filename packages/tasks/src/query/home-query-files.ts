import { CadreError, didYouMean } from '@cadre/core'
import { matchesPattern } from '@cadre/disk'
import { approvalsFile } from '../is-approval.ts'
import type { TaskFile } from '../task-item.ts'
import type { QueryFiles } from './answer-select.ts'

/** The operations that queries need on the task files in a home. */
export interface HomeTasks {
  /** File names in the folder, without the file of approvals. */
  list(): readonly string[]
  read(file: string): TaskFile
}

/** The task files in a home for queries, with names such as `tasks/redis.task.md`. Other files cannot be named. */
export function homeQueryFiles(tasks: HomeTasks): QueryFiles {
  return {
    match(name) {
      const wanted = nameInTasks(name)
      const approvals = tasks.read(approvalsFile).tasks.length > 0 ? [approvalsFile] : []
      const known = [...new Set([...tasks.list(), ...approvals])].sort()
      if (wanted.includes('*'))
        return known.filter((file) => matchesPattern(file, wanted)).map((file) => `tasks/${file}`)
      if (known.includes(wanted)) return [`tasks/${wanted}`]
      throw new CadreError(
        'usage',
        `there is no file tasks/${wanted}${didYouMean(wanted, known) || '. Use tasks/*.task.md for all files.'}`,
      )
    },
    read: (file) => tasks.read(file.slice('tasks/'.length)),
  }
}

/** Checks the name or pattern of a file in the folder `tasks`. Throws a `CadreError` for everything else. */
function nameInTasks(name: string): string {
  const inside = name.replace(/^(?:\.\/)*(?:tasks(?:\/|$))?/, '')
  const file = inside === '' ? '*' : inside
  if (/[\\/\0]/.test(file) || file.startsWith('.'))
    throw new CadreError(
      'usage',
      `${JSON.stringify(name)} is not in the tasks folder of the home directory. Write tasks/NAME.task.md.`,
    )
  return file
}
