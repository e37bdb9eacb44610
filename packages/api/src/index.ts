export type {
  ApprovalDiff,
  EntriesPage,
  Forecast,
  Me,
  NewTask,
  Page,
  Problem,
  ProblemItem,
  RewindResult,
  Role,
  SearchHit,
  SessionDetail,
  TaskChange,
  TaskItem,
  WorkspaceItem,
  WorkspaceStep,
} from './answers.ts'
export { ApiError } from './api-error.ts'
export type { Approval, DecisionRequest, DecisionResult, Vote } from './approval.ts'
export type { CallDetail } from './call-detail.ts'
export { type Client, type ClientOptions, createClient, type EventsOptions } from './create-client.ts'
export type { ExportedRun, ExportedSession } from './exported-run.ts'
export { type OperationName, type Operations, operations } from './operations.ts'
export { readStream } from './read-stream.ts'
export type { AnswerOf } from './request-of.ts'
export { type RowState, rowStates, type SessionRow, type Subtree } from './session-row.ts'
export type { StreamEvent, StreamPart } from './stream-event.ts'
