export type {
  AgentDefinition,
  AgentLimits,
  AgentSource,
  Budget,
  DelegateSelection,
  PermissionRule,
  ToolClass,
  ToolSelection,
} from './agent.ts'
export type {
  Answer,
  Engine,
  Question,
  RecordChange,
  Run,
  SessionEnd,
  SessionStatus,
  StepInfo,
  StepOptions,
  StoredSession,
  TransientEvent,
} from './engine.ts'
export type {
  AssistantDraft,
  AssistantEntry,
  Draft,
  Entry,
  EventDraft,
  EventEntry,
  Image,
  OutcomeKind,
  ResultDraft,
  ResultEntry,
  UserDraft,
  UserEntry,
  WireCall,
} from './entry.ts'
export { CadreError, type ErrorCode, messageOf, Suspended } from './errors.ts'
export type { CadreEvent, EventBody } from './events.ts'
export {
  type AgentRound,
  agentRounds,
  applyToView,
  type CallView,
  emptyView,
  type RoundView,
  type SessionView,
  type View,
} from './fold.ts'
export type { DecidedBy, Gate, JudgedCall, Review, Reviewer, Rule, Verdict } from './gate.ts'
export { type Json, type JsonObject, parseJson } from './json.ts'
export { defaultLimits, nudgeLimits, type RunLimits } from './limits.ts'
export type {
  Message,
  Model,
  ModelRequest,
  ModelResolution,
  Models,
  Reply,
  ReplyFailure,
  ReplyHooks,
  ToolOffer,
} from './model.ts'
export { didYouMean, nearest } from './nearest.ts'
export {
  createOrchestrator,
  type Orchestrator,
  type ResumeOptions,
  type RunResult,
  type StartRequest,
} from './orchestrator.ts'
export type { Agents, Clock, Ids, Ports } from './ports.ts'
export { oneLine } from './prompt.ts'
export { eventsOf } from './replay.ts'
export {
  addUsage,
  type Handoff,
  type Notice,
  noUsage,
  type Report,
  type ReportStatus,
  type Usage,
} from './report.ts'
export {
  anything,
  array,
  boolean,
  explainIssues,
  type Infer,
  integer,
  type JsonSchema,
  number,
  object,
  oneOf,
  optional,
  type Schema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  string,
} from './schema.ts'
export { sectionsOf } from './sections.ts'
export type { Completion, SessionLimits, SessionSpec, Work } from './session-spec.ts'
export {
  defineTool,
  type Effect,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from './tool.ts'
export { spellingsOf, type ToolMeaning, understandTool } from './vocabulary.ts'
