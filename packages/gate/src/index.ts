export { actionLines, approvalContent } from './approvals/approval-content.ts'
export {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalStatus,
  approvalId,
  approvalJson,
  approversOf,
  countText,
} from './approvals/approval-record.ts'
export { approvalsIn } from './approvals/approvals-in.ts'
export {
  type Approvals,
  type ApprovalsOptions,
  createApprovals,
  type Decided,
  type ListOptions,
} from './approvals/create-approvals.ts'
export { createRequireApprovals, type RequireApprovalsOptions } from './approvals/create-require-approvals.ts'
export { answerFor, isApproval, isDoubt } from './approvals/decision-words.ts'
export {
  type AskInTerminal,
  type AskRequest,
  askEverywhere,
  followApprovals,
} from './approvals/follow-approvals.ts'
export { objectionTo } from './approvals/objection-to.ts'
export { planRule, type RulePlan } from './approvals/plan-rule.ts'
export { requirePerson } from './approvals/require-person.ts'
export { isVisible, shownLine, shownText } from './approvals/shown-text.ts'
export { type StartersOptions, startersOf } from './approvals/starters-of.ts'
export { voteText } from './approvals/vote-text.ts'
export { createVoters, type VoteRequest, type Voter, type Voters } from './approvals/voter.ts'
export { type AuditLine, type AuditLog, type AuditLogOptions, openAuditLog } from './audit/audit-log.ts'
export { createAudit } from './audit/create-audit.ts'
export { maskedJson } from './audit/masked-json.ts'
export type { Allowlist, AllowlistDecision } from './commands/allowlist.ts'
export { assessRisk } from './commands/assess-risk.ts'
export type { CommandLine, FoundCommand, FoundRedirect } from './commands/command-line.ts'
export { createCommandRule, judgeLine } from './commands/create-command-rule.ts'
export { commandsOfCall, interpretLine } from './commands/interpret-line.ts'
export type { List } from './commands/line/line.ts'
export type { CommandRuleOptions } from './commands/line-request.ts'
export { openAllowlists } from './commands/open-allowlists.ts'
export { readAllowlist } from './commands/read-allowlist.ts'
export { searchFolders } from './commands/resolve-program.ts'
export { createGuard, type Guard, type GuardOptions } from './create-guard.ts'
export { createEffectsRule, type EffectsRuleOptions } from './effects/create-effects-rule.ts'
export { createPathRule, type PathRuleOptions } from './effects/create-path-rule.ts'
export { createServerRule } from './effects/create-server-rule.ts'
export { createUnreadableCheck, type UnreadableCheckOptions } from './effects/create-unreadable-check.ts'
export {
  createDeniedPaths,
  type DeniedPaths,
  type DeniedPathsOptions,
  type Unreadable,
  type UnwritablePaths,
} from './effects/denied-paths.ts'
export { claudeHooks } from './evidence/claude-hooks.ts'
export { createEvidence, type Evidence, type EvidenceOptions } from './evidence/create-evidence.ts'
export { headerHooks, projectHook } from './evidence/header-hooks.ts'
export { readHookHarness, readShippedHooks, type ShippedFile } from './evidence/read-shipped-hooks.ts'
export { agentHooksItem, createAgentHooks, readAgentHooks } from './hooks/agent-hooks.ts'
export { createHooks, type Hooks, type HooksOptions } from './hooks/create-hooks.ts'
export { type FindHooksRequest, findHooks } from './hooks/find-hooks.ts'
export type {
  Hook,
  HookAction,
  HookDialect,
  HookFile,
  HookFileStatus,
  HookLevel,
  HookSet,
} from './hooks/hook.ts'
export { type HookLocation, hookLocations } from './hooks/hook-locations.ts'
export type { HookRun } from './hooks/hook-runner.ts'
export { placeOf } from './hooks/place-of.ts'
export type { HookAnswer } from './hooks/read-answer.ts'
export { type HooksFileRequest, type ParsedHooksFile, readHooksFile } from './hooks/read-hooks-file.ts'
export type { HookEnd } from './hooks/run-hook.ts'
export { type Sample, type SampleRequest, sampleOf } from './hooks/samples.ts'
export type { HookScript } from './hooks/scripts-of.ts'
export { type HookTrial, strictestDecision, type TryHooksRequest, tryHooks } from './hooks/try-hooks.ts'
export type { Mount } from './paths/mounts.ts'
export {
  createPathResolver,
  type PathRequest,
  type PathResolver,
  type ResolvedPath,
} from './paths/path-resolver.ts'
export { invalidPathReason } from './paths/path-spelling.ts'
export { isRepositoryPart } from './paths/repository-parts.ts'
export { findPermissions, type PermissionSet } from './permissions/find-permissions.ts'
export { withPreapprovedRules } from './permissions/preapprove.ts'
export { promptAllowances, trustItemOfPromptFile } from './permissions/prompt-allowances.ts'
export { readPermissions } from './permissions/read-permissions.ts'
export { hideInitialEnvironment } from './processes/hide-initial-environment.ts'
export { releasePipes } from './processes/release-pipes.ts'
export { signalGroup } from './processes/signal-group.ts'
export { artifactFolder, artifactOf, ownArtifact } from './roles/artifact-of.ts'
export { createRoleRule } from './roles/create-role-rule.ts'
export { isOwnArtifact } from './roles/is-own-artifact.ts'
export { cleanEnvironment } from './sandbox/clean-environment.ts'
export { describeLimit, type ExceededLimit } from './sandbox/command-limit.ts'
export { isInsideCommand } from './sandbox/command-mark.ts'
export type { CommandEnd, CommandRun } from './sandbox/command-run.ts'
export { endLeftoverCommand } from './sandbox/end-leftover-command.ts'
export { type CommandOptions, runCommand } from './sandbox/run-command.ts'
export { findSandbox, type Sandbox } from './sandbox/sandbox.ts'
export { type ProgramToSandbox, type SandboxedProgram, sandboxProgram } from './sandbox/sandbox-program.ts'
export {
  protectPathsFromServer,
  type SandboxServerOptions,
  type ServerStart,
  sandboxServer,
} from './sandbox/sandbox-server.ts'
export type { ProtectedChange } from './sandbox/undo-changes.ts'
export { isModuleOf } from './trust/config-items.ts'
export { createUntrustedRule } from './trust/create-untrusted-rule.ts'
export type { FolderContents, FolderItem, UnusableItem } from './trust/folder-item.ts'
export { type FolderTrust, judgeFolder, storeAnswer } from './trust/folder-trust.ts'
export { importsItem } from './trust/import-items.ts'
export { type HomeState, inspectHome, listHomeItems } from './trust/list-home-items.ts'
export { type FolderRequest, readFolderContents } from './trust/read-folder-contents.ts'
export { type FolderServer, serverItems } from './trust/server-items.ts'
