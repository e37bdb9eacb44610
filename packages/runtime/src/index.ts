export { type FieldValue, type FormField, readField } from '@cadre/mcp'
export { assistant } from './assistant.ts'
export { canRunUnattended } from './can-run-unattended.ts'
export { chooseAgent, namesOf, reportAgentProblems } from './choose-agent.ts'
export { type AcceptedHandoff, Conversation } from './conversation.ts'
export { createAdoptAgent } from './create-adopt-agent.ts'
export { createRuntime, type Runtime, type RuntimeOptions } from './create-runtime.ts'
export { agentRows, otherBuiltIns } from './describe/agent-rows.ts'
export type { AgentView, BoundaryView, Sourced } from './describe/agent-view.ts'
export { createExplainer, type Explainer } from './describe/create-explainer.ts'
export { describeAgent } from './describe/describe-agent.ts'
export { type BudgetView, budgetLine, describeBudgets } from './describe/describe-budgets.ts'
export type { Explanation } from './describe/explanation.ts'
export { fileOf } from './describe/file-of.ts'
export { findInstructionProblems } from './describe/lint-instructions.ts'
export { lintKnowledge } from './describe/lint-knowledge.ts'
export { type LintTargets, lintProject, lintTargets } from './describe/lint-targets.ts'
export { type Depth, readDepth } from './describe/read-depth.ts'
export { requireAgent } from './describe/require-agent.ts'
export { specWithParts } from './describe/spec-for.ts'
export { unreadablePaths } from './describe/unreadable-paths.ts'
export {
  type CleanedWorkspaces,
  cleanWorkspace,
  mergeWorkspaceJson,
  reasonToKeep,
  requireIdleWorkspace,
  rollBackWorkspace,
  rollbackJson,
} from './describe/workspace-actions.ts'
export { type ElicitationQuestion, elicitationQuestion } from './elicitation-question.ts'
export { endStoredSession } from './end-stored-session.ts'
export type { Environment } from './environment.ts'
export { type AvailableAgents, findAvailableAgents } from './find-available-agents.ts'
export { findServers } from './find-servers.ts'
export type { ControlFlags, GateFlags } from './gate-flags.ts'
export {
  homeForRun,
  rejectUntrusted,
  requireTrustedHome,
  type TrustFlags,
  untrustedItems,
} from './home-trust.ts'
export { type IdleState, idleStateOf, latestReport, openChildren } from './idle-state.ts'
export { lastReport } from './last-report.ts'
export { loadParts } from './load-parts.ts'
export { teamForRun } from './load-run-agents.ts'
export { serverStores } from './load-servers.ts'
export { loadSettings, type Settings } from './load-settings.ts'
export { loadTools } from './load-tools.ts'
export { type OpenedEngine, openEngine } from './open-engine.ts'
export { openLedgerStore } from './open-ledger-store.ts'
export { openSessions, openTrustedSessions, type Sessions } from './open-sessions.ts'
export { openTelemetry, probeTelemetry, telemetryNotices } from './open-telemetry.ts'
export { openUndo, type Undo } from './open-undo.ts'
export { orchestrate } from './orchestrate.ts'
export { personName } from './person-name.ts'
export type { AskPerson, ConfirmTrust, ElicitFromPerson } from './person-port.ts'
export { loadPolicyFor, loadPolicyForDisplay } from './policy-of-run.ts'
export { dropProjectPath } from './project-path.ts'
export { rejectIfRunning } from './reject-if-running.ts'
export { requireOwnWorkspace, sharedFolder } from './require-own-workspace.ts'
export { resolveWorkspace } from './resolve-workspace.ts'
export { editSessionFile } from './rewind/edit-session-file.ts'
export { historyBefore } from './rewind/history-before.ts'
export { type Rewound, rewindSession } from './rewind/rewind-session.ts'
export type { PartsOptions, RunParts } from './run-parts.ts'
export { throwIfNotOpened } from './throw-if-not-opened.ts'
export { type TrustedFolder, trustFolder } from './trust-folder.ts'
export { agentPaths, homeOf, policyHooks, projectOf, userPaths } from './user-paths.ts'
export { withRecordedGrant } from './with-recorded-grant.ts'
