export {
  applySplices,
  fieldSplice,
  insertTask,
  markerSplice,
  type NewField,
  type Splice,
} from './edit-tasks.ts'
export { approvalsFile, isApproval, isApprovalsFile, isApprovalType } from './is-approval.ts'
export { lintTaskFile } from './lint-task-file.ts'
export { answerSelect, type FoundProblem, rowObject, type SelectResult } from './query/answer-select.ts'
export type { FieldValue } from './query/field-value.ts'
export { homeQueryFiles } from './query/home-query-files.ts'
export { openQueryFiles } from './query/open-query-files.ts'
export { parseQuery } from './query/parse-query.ts'
export type { Query } from './query/query.ts'
export { QueryError } from './query/query-error.ts'
export { type QueryResult, runQuery } from './query/run-query.ts'
export { readTaskFile } from './read-task-file.ts'
export { fieldOf, readTasks, type Task } from './read-tasks.ts'
export { openTaskFiles, type TaskEditResult, type TaskFiles } from './task-files.ts'
export type { NewTask, TaskChange, TaskFile, TaskItem, TaskProblem, TaskState } from './task-item.ts'
