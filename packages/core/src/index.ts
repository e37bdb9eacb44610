export {
  applyToDay,
  applyToSlots,
  emptyDay,
  emptySlots,
} from './budget/apply-to-ledger.ts'
export { dayOf } from './budget/ledger-client.ts'
export { spentIn } from './budget/spending.ts'
export type {
  AgentDefinition,
  AgentLimits,
  Boundary,
  Budget,
  DelegateSelection,
  PermissionRule,
  ToolClass,
  ToolSelection,
} from './ports/agent.ts'
export {
  type Answer,
  type EarlierLives,
  type Engine,
  isDurable,
  isEndedStatus,
  type Question,
  type QuestionId,
  type RecordChange,
  type Run,
  type SessionEnd,
  type SessionStatus,
  type StepOptions,
  type StoredSession,
  stateAfter,
} from './ports/engine.ts'
export type {
  AssistantEntry,
  Draft,
  Entry,
  EventDraft,
  EventEntry,
  Image,
  OutcomeKind,
  Reasoning,
  ResultDraft,
  ResultEntry,
  UserEntry,
  WireCall,
} from './ports/entry.ts'
export { CadreError, type ErrorCode, messageOf, Suspended, sentenceOf } from './ports/errors.ts'
export type { CadreEvent, EventBody } from './ports/events.ts'
export type {
  Answerer,
  CommandFinding,
  DecidedBy,
  JudgedCall,
  PathFinding,
  RequireApprovals,
  Review,
  Reviewer,
  Risk,
  Rule,
  Verdict,
} from './ports/gate.ts'
export type { Isolation } from './ports/isolation.ts'
export { type Json, type JsonObject, parseJson } from './ports/json.ts'
export type { CollectKnowledge, PromptPart } from './ports/knowledge.ts'
export type { Ceiling, Ledger, LedgerAnswer, LedgerDay, LedgerOrder, LedgerSlots } from './ports/ledger.ts'
export type { LifecycleEvent, LifecycleHandler, LifecycleResponse } from './ports/lifecycle-event.ts'
export { defaultLimits, nudgeLimits, type RunLimits, withinCeilings } from './ports/limits.ts'
export type {
  Message,
  Model,
  ModelRequest,
  ModelResolution,
  Models,
  Price,
  Reply,
  ReplyFailure,
  ReplyHooks,
  Spent,
  ToolOffer,
} from './ports/model.ts'
export type { Agents, Clock, IdGenerator, Ports } from './ports/ports.ts'
export {
  addSpent,
  addUsage,
  type Handoff,
  type Notice,
  nothingCounted,
  noUsage,
  type Report,
  type ReportStatus,
  type SpentBudget,
  type Usage,
} from './ports/report.ts'
export { type RuleName, ruleNames, rulePrefixes } from './ports/rule-names.ts'
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
  type StandardSchema,
  schema,
  string,
} from './ports/schema.ts'
export { applyCeilings, type Controls, type SessionSpec, type Work } from './ports/session-spec.ts'
export type { NewTeam, Teams } from './ports/teams.ts'
export {
  type CommandsOfCall,
  defineTool,
  type Effect,
  type ReserveTokens,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from './ports/tool.ts'
export type { ApprovalRequirement, RecordedVote, Vote, VoteChannel } from './ports/votes.ts'
export type {
  PreparedIsolation,
  SettledWorkspace,
  WorkspaceRequest,
  Workspaces,
} from './ports/workspaces.ts'
export { addressOf } from './rules/address-of.ts'
export { createGate } from './rules/create-gate.ts'
export { explainUnknownToolName } from './rules/explain-unknown-tool-name.ts'
export { exactHostOf, hostOf } from './rules/host-of.ts'
export { permissionCoversHost, readHostPattern, restrictionCoversHost } from './rules/host-pattern.ts'
export { subjectsOf } from './rules/permission-subject.ts'
export { permissionCoversTool } from './rules/permissions.ts'
export { isReadOnlyTool } from './rules/rules.ts'
export { unknownAllowed } from './rules/unknown-allowed.ts'
export { checkSchema } from './schema/check-schema.ts'
export { isObject } from './schema/is-object.ts'
export { schemaFaults } from './schema/schema-faults.ts'
export { combineHandlers } from './session/combine-handlers.ts'
export { estimatedTokens } from './session/context.ts'
export { type History, handoffHistory } from './session/handoff.ts'
export { stopGrace } from './session/perform.ts'
export { joinPrompt, oneLine, workWithoutHeadings } from './session/prompt.ts'
export { answerDraft, answerIn, isAsked, questionDraft } from './session/questions.ts'
export {
  answerDrafts,
  isPermission,
  latestVotes,
  missingAnswer,
  requirementOf,
  votesIn,
} from './session/recorded-votes.ts'
export { sectionsOf } from './session/sections.ts'
export type { SessionState } from './session/session-state.ts'
export { startedSessions } from './session/started-sessions.ts'
export { foldEntries, isOutdated, openCalls } from './session/state.ts'
export { cleanData, plainText, shortLine } from './text/clean-data.ts'
export { fencedText } from './text/fenced-text.ts'
export { isNestedDeeper } from './text/is-nested-deeper.ts'
export { placeNamePattern, placeNameRule } from './text/place-name.ts'
export { readTrace, type TraceContext } from './text/trace-context.ts'
export { agentSetup } from './tree/agent-setup.ts'
export { buildSpecWithParts, type SessionSpecResult } from './tree/build-session-spec.ts'
export { allowedTargets, isTargetDenied, readDelegation } from './tree/delegation.ts'
export { createOrchestrator } from './tree/orchestrator.ts'
export type { Orchestrator, ResumeOptions, RunResult, StartRequest } from './tree/orchestrator-contract.ts'
export { fallbackMessage, resolveModel } from './tree/resolve-model.ts'
export { targetsOf } from './tree/targets-of.ts'
export { isTeamName, leadNames, teamTools } from './tree/team-tools.ts'
export { type AgentRound, agentRounds, childrenByCall } from './view/agent-rounds.ts'
export { decisionOf } from './view/decision-of.ts'
export { eventsOf } from './view/events-of.ts'
export { applyToView, callOf, emptyView } from './view/fold.ts'
export type { CallStatus, CallVerdict, CallView, RoundView, SessionView, View } from './view/view.ts'
export { type Allowed, isAllowed, isEffect, isServerTool } from './vocabulary/allowed.ts'
export { knowsModel, knowsTool, namesFor } from './vocabulary/host-names.ts'
export { knownTools, misspeltTool } from './vocabulary/known-tools.ts'
export { matchModel, modelPreferences, nearestModels } from './vocabulary/match-model.ts'
export { nameKey } from './vocabulary/name-key.ts'
export { didYouMean, findMisspelling, nearest } from './vocabulary/nearest.ts'
export { renameArguments } from './vocabulary/rename-arguments.ts'
export {
  allowsServerTool,
  restrictionCoversTool,
  restrictsOtherEdits,
  ruleCoversTool,
} from './vocabulary/select-tools.ts'
export { normaliseInput, toolsetOf } from './vocabulary/toolset.ts'
export {
  classOf,
  classOfName,
  interpretToolName,
  spellingsOf,
  type ToolMeaning,
} from './vocabulary/vocabulary.ts'
export type { NamingHost } from './vocabulary/vocabulary-hosts.ts'
export { matchesWildcard } from './vocabulary/wildcard.ts'
