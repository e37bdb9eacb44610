export type {
  ApprovalDiff,
  ApprovalsPage,
  Burn,
  EntriesPage,
  Forecast,
  Login,
  Me,
  NewTask,
  Page,
  Person,
  Problem,
  ProblemItem,
  RewindResult,
  Role,
  SearchHit,
  SessionDetail,
  Started,
  TaskChange,
  TaskItem,
  TreeAnswer,
  WorkspaceItem,
  WorkspaceStep,
} from './answers.ts'
export { ApiError } from './api-error.ts'
export type { Approval, DecisionRequest, DecisionResult, Vote } from './approval.ts'
export type { CallDetail, Verdict } from './call-detail.ts'
export { type Client, type ClientOptions, createClient, type EventsOptions } from './create-client.ts'
export type { ExportedRun, ExportedSession } from './exported-run.ts'
export { type OperationName, type Operations, operations } from './operations.ts'
export { readStream, type SentEvent } from './read-stream.ts'
export type { AnswerOf, RequestOf } from './request-of.ts'
export { type RowState, rowStates, type SessionRow, type Subtree } from './session-row.ts'
export type { StreamEvent, StreamPart } from './stream-event.ts'
