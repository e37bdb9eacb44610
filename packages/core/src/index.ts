export type {
  AgentDefinition,
  AgentLimits,
  AgentSource,
  Boundary,
  Budget,
  DelegateSelection,
  PermissionRule,
  ToolClass,
  ToolSelection,
} from './agent.ts'
export { type AgentRound, agentRounds, childrenByCall } from './agent-rounds.ts'
export { attendAll } from './attend-all.ts'
export { allowedTargets, readDelegation } from './delegation.ts'
export type {
  Answer,
  Engine,
  Question,
  QuestionId,
  RecordChange,
  Run,
  SessionEnd,
  SessionStatus,
  StepOptions,
  StoredSession,
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
export type { Explained, ExplainRequest } from './explain.ts'
export { applyToView, callOf, emptyView } from './fold.ts'
export type {
  Answerer,
  CommandFinding,
  DecidedBy,
  Gate,
  JudgedCall,
  PathFinding,
  Review,
  Reviewer,
  ReviewRequest,
  Risk,
  Rule,
  Verdict,
} from './gate.ts'
export { contextOf, type HandoffContext, type History } from './handoff.ts'
export { knowsModel, knowsTool, namesFor } from './host-names.ts'
export { isNestedDeeper } from './is-nested-deeper.ts'
export { type Json, type JsonObject, parseJson } from './json.ts'
export { createGate, type GateParts } from './judge.ts'
export { knownTools, misspeltTool } from './known-tools.ts'
export { defaultLimits, nudgeLimits, type RunLimits, withinCeilings } from './limits.ts'
export { matchModel, modelPreferences, nearestModels } from './match-model.ts'
export type {
  Message,
  Model,
  ModelRequest,
  ModelResolution,
  Models,
  Reply,
  ReplyFailure,
  ReplyHooks,
  Spent,
  ToolOffer,
} from './model.ts'
export type { Attend, Attention, Moment } from './moment.ts'
export { nameKey } from './name-key.ts'
export { didYouMean, misspelt, nearest } from './nearest.ts'
export {
  createOrchestrator,
  type Orchestrator,
  type OrchestratorOptions,
  type ResumeOptions,
  type RunResult,
  type StartRequest,
} from './orchestrator.ts'
export { type Outfit, outfitOf } from './outfit.ts'
export { stopGrace } from './perform.ts'
export { type Subject, subjectsOf } from './permission-subject.ts'
export type { Agents, Clock, ContextRequest, Ids, Ports } from './ports.ts'
export { oneLine } from './prompt.ts'
export { answerDraft, answerIn, isAsked, questionDraft } from './questions.ts'
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
  schema,
  string,
} from './schema.ts'
export { sectionsOf } from './sections.ts'
export { covers } from './select-tools.ts'
export {
  boundSession,
  type Completion,
  type Controls,
  type SessionLimits,
  type SessionSpec,
  type Work,
} from './session-spec.ts'
export { resolveModel, type SpecRequest, specify } from './specify.ts'
export { approveSession, foldEntries, nextMove, openCalls, type SessionState } from './state.ts'
export {
  type CommandsOfCall,
  defineTool,
  type Effect,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from './tool.ts'
export { normaliseInput, type Toolset, type ToolsetRequest, toolsetOf } from './toolset.ts'
export { unknownDenial } from './unknown-denial.ts'
export type { CallStatus, CallView, RoundView, SessionView, View } from './view.ts'
export { classOf, spellingsOf, type ToolMeaning, understandTool } from './vocabulary.ts'
export type { NamingHost } from './vocabulary-hosts.ts'
export type { Isolation, Prepared, Settled, WorkspaceRequest, Workspaces } from './workspaces.ts'
