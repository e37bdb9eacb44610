export { type AddOptions, addTask } from './add-task.ts'
export { changeTask } from './change-task.ts'
export {
  applySplices,
  fieldSplice,
  insertTask,
  markerSplice,
  type NewField,
  type Splice,
} from './edit-tasks.ts'
export { type EnsuredIds, ensureIds } from './ensure-ids.ts'
export { approvalsFile, isApproval, isApprovalsFile, isApprovalType } from './is-approval.ts'
export { lintTaskFile } from './lint-task-file.ts'
export { newTaskId } from './new-task-id.ts'
export {
  answerSelect,
  type FoundProblem,
  type QueryFiles,
  rowObject,
  type SelectResult,
} from './query/answer-select.ts'
export type { FieldValue, TaskRow } from './query/field-value.ts'
export { homeQueryFiles } from './query/home-query-files.ts'
export { type ChangeableFiles, openQueryFiles, type QueryFilesOptions } from './query/open-query-files.ts'
export { parseQuery } from './query/parse-query.ts'
export type { Query } from './query/query.ts'
export { QueryError } from './query/query-error.ts'
export { type QueryResult, runQuery } from './query/run-query.ts'
export { readTaskFile } from './read-task-file.ts'
export { fieldOf, readTasks, type Task, type TaskField } from './read-tasks.ts'
export { removeTask } from './remove-task.ts'
export type { TaskEdit } from './task-edit.ts'
export {
  type FoundTask,
  openTaskFiles,
  type TaskEditResult,
  type TaskFiles,
  type TaskFilesOptions,
} from './task-files.ts'
export type { NewTask, TaskChange, TaskFile, TaskItem, TaskProblem, TaskState } from './task-item.ts'
export { normaliseValue } from './task-values.ts'
export { normaliseTitle } from './task-words.ts'
