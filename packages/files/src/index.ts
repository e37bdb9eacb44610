export { nameOfFile } from './agents/agent-name.ts'
export type { AgentFile, LoadedAgents } from './agents/combine-agents.ts'
export { type AgentRegistry, createAgents } from './agents/create-agents.ts'
export { decodeText } from './agents/decode-text.ts'
export { plainKey } from './agents/header/known-keys.ts'
export { leadOf } from './agents/lead-of.ts'
export { type AgentsRequest, loadAgents } from './agents/load-agents.ts'
export type { AgentPlaces } from './agents/places.ts'
export { readAgentText } from './agents/read-agent-text.ts'
export type { ReadAgent } from './agents/read-definition.ts'
export type { AgentText } from './agents/read-markdown.ts'
export { type ReadJson, readJson } from './agents/settings/read-json.ts'
export { isSame as isSameStamp, type Stamp, stampOf } from './agents/stamp.ts'
export type { FileDialect, TargetDialect } from './agents/write/dialects.ts'
export { type EditedSettings, type EditRequest, editSettings } from './agents/write/edit-settings.ts'
export { type ExportedAgents, type ExportRequest, exportAgents } from './agents/write/export-agents.ts'
export type { Naming } from './agents/write/host-names.ts'
export { type ImportedAgents, importAgents } from './agents/write/import-agents.ts'
export { type PlacedFile, type Placement, type PlaceRequest, placeFiles } from './agents/write/place-files.ts'
export { type WriteOptions, type WrittenAgent, writeAgent } from './agents/write/write-agent.ts'
export type { AgentNote } from './agents/write/write-settings.ts'
export { type AppendedSetting, appendSetting, type NewSetting } from './append-setting.ts'
export type { ChatLog, LogEntry, LogRole } from './chat-logs/chat-log.ts'
export { entriesOfLog } from './chat-logs/entries-of-log.ts'
export { logEntriesOf, logOfSession } from './chat-logs/log-of-session.ts'
export { type PlaceSessionRequest, placeSession } from './chat-logs/place-session.ts'
export {
  type LogProblem,
  type PlacedEntry,
  type ReadChatLog,
  readChatLog,
} from './chat-logs/read-chat-log.ts'
export { writeChatLog, writeEntries } from './chat-logs/write-chat-log.ts'
export type {
  BudgetSettings,
  Config,
  DaemonConfig,
  LimitSettings,
  ModelSettings,
  OpenAiSettings,
} from './config/config.ts'
export { fingerprintModule } from './config/fingerprint-module.ts'
export { type ConfigRequest, type LoadedConfig, loadConfig, type NeedsTrust } from './config/load-config.ts'
export { type ModuleFile, moduleFiles } from './config/module-files.ts'
export { resolveModule } from './config/resolve-module.ts'
export { createTrust, type Trust, type TrustItem, type TrustOptions } from './config/trust.ts'
export { type Diagnostic, showDiagnostic } from './diagnostic.ts'
export type { JournalDiagnostic } from './engine/engine-parts.ts'
export { createFileEngine, type FileEngine, type FileEngineOptions } from './engine/file-engine.ts'
export { type HeldLease, holdLease, type LeaseAttempt } from './engine/hold-lease.ts'
export { readRegular } from './engine/open-regular.ts'
export { isAlive, type ProcessIdentity, thisProcess } from './engine/process-identity.ts'
export { sessionSummaryOf } from './engine/session-summary-of.ts'
export { type HomeGit, type HomeGitOptions, openHomeGit } from './git/home-git.ts'
export { daemonLease, isAttended } from './home/daemon-lease.ts'
export { type Grant, type Grants, openGrants } from './home/grants.ts'
export { type Home, type HomeOptions, openHome } from './home/open-home.ts'
export { isHandWritten, wasEditedByCadre } from './home/own-edits.ts'
export { isEmptyHome, type OwnHomes, openOwnHomes } from './home/own-homes.ts'
export { repositoryOf } from './home/repository-of.ts'
export { placesOf, repositoriesAbove, type TrackedFiles, trackedFiles } from './home/tracked-files.ts'
export {
  beginUnguarded,
  isUnguarded,
  isUnguardedHere,
  keepFiles,
  lookAfterFiles,
  rememberWritten,
  wasWritten,
  wasWrittenIn,
} from './home/unguarded.ts'
export { appendInbox } from './inbox/append-inbox.ts'
export { chooseRoute } from './inbox/choose-route.ts'
export { fillTemplate, isFilled } from './inbox/fill-template.ts'
export { type ReadRoutes, readRoutes } from './inbox/read-routes.ts'
export { type Condition, fieldAt, type Route, type TaskTemplate } from './inbox/route.ts'
export { openRoutes, type RoutesNow } from './inbox/routes-file.ts'
export { isInside } from './is-inside.ts'
export { isObject } from './is-object.ts'
export { endsWithEntry } from './journal/ends-with-entry.ts'
export { lookAtRest, type Rest } from './journal/look-at-rest.ts'
export type { SessionSummary } from './journal/read-summary.ts'
export type { Adopted } from './journal/spec-of-header.ts'
export { appendLines } from './lines/append-lines.ts'
export { FollowedFile, type Follower } from './lines/followed-file.ts'
export { lineFileName, nameOfLineFile } from './lines/line-file-name.ts'
export type { LineReader, ReadLine, UnreadableLine } from './lines/line-reader.ts'
export { openLineReader } from './lines/open-line-reader.ts'
export { findLintFiles } from './lint/find-lint-files.ts'
export { type Fix, fixAgentText } from './lint/fix/fix-agent-text.ts'
export { writeFixed } from './lint/fix/write-fixed.ts'
export {
  type HookEvent,
  hookEvents,
  isHookEvent,
  type UnderstoodEvent,
  understandHookEvent,
} from './lint/hook-events.ts'
export { type Host, type HostEffect, type HostEffects, type HostName, hosts } from './lint/hosts/host.ts'
export { type LintOptions, lintFiles, lintFolder, shownPath } from './lint/lint.ts'
export {
  type Finding,
  type LintedFile,
  type LintResult,
  type LintSummary,
  summaryOf,
} from './lint/lint-result.ts'
export { hideSecrets } from './lint/rules/secret-rules.ts'
export type { LintKnowledge, ModelKnowledge } from './lint/subject.ts'
export { readWrittenHeader, type WrittenHeader, type WrittenKey } from './lint/written-header.ts'
export { type Located, type LocatedRequest, type ReadYaml, readYaml } from './located.ts'
export { type MailMessage, type MailReceipt, messageOfLine } from './mailboxes/mail-message.ts'
export { mailboxName, mailboxOfFile } from './mailboxes/mailbox-name.ts'
export { type Mailboxes, openMailboxes } from './mailboxes/open-mailboxes.ts'
export { namesIn } from './names-in.ts'
export { type Outbox, type OutboxOptions, type OutboxRequest, openOutbox } from './outbox/open-outbox.ts'
export type { OutboxEntry, OutboxState } from './outbox/outbox-entry.ts'
export { allowOnly } from './policy/allow-only.ts'
export { type CommandLimits, defaultCommandLimits } from './policy/command-limits.ts'
export { type EffectsRequest, effectsOf, stricterOf } from './policy/effects-of.ts'
export { type Enforcement, type EnforcementOptions, enforcePolicy } from './policy/enforce-policy.ts'
export {
  type LoadedPolicy,
  loadPolicy,
  lookAtProjectPolicy,
  type PolicyRequest,
  type WideningPolicy,
} from './policy/load-policy.ts'
export {
  defaultEffects,
  type Effects,
  openPolicy,
  type PathPatterns,
  type Permission,
  type Policy,
} from './policy/policy.ts'
export type { PolicyLevel } from './policy/read-policy-file.ts'
export { type Restriction, restrictions } from './policy/restrictions.ts'
export { type CancelRequest, requestCancel } from './requests/request-cancel.ts'
export { runningProcess } from './requests/running-process.ts'
export { type FolderWatch, watchFolder } from './requests/watch-folder.ts'
export { type RequestWatch, watchRequests } from './requests/watch-requests.ts'
export { sessionIds } from './system/session-ids.ts'
export { startProcess } from './system/start-process.ts'
export { systemClock } from './system/system-clock.ts'
export { isOutOfFiles, systemTrouble } from './system/system-trouble.ts'
export { type AddOptions, addTask } from './tasks/add-task.ts'
export { changeTask } from './tasks/change-task.ts'
export { editFile, readPlainFile } from './tasks/edit-file.ts'
export {
  applySplices,
  fieldSplice,
  insertTask,
  markerSplice,
  type NewField,
  type Splice,
} from './tasks/edit-tasks.ts'
export { type EnsuredIds, ensureIds } from './tasks/ensure-ids.ts'
export { approvalsFile, isApproval, isApprovalsFile, isApprovalType } from './tasks/is-approval.ts'
export { type Line, linesOf } from './tasks/lines-of.ts'
export { lintTaskFile } from './tasks/lint-task-file.ts'
export { newTaskId } from './tasks/new-task-id.ts'
export {
  answerSelect,
  type FoundProblem,
  type QueryFiles,
  rowObject,
  type SelectAnswer,
} from './tasks/query/answer-select.ts'
export type { FieldValue, TaskRow } from './tasks/query/field-value.ts'
export { homeQueryFiles } from './tasks/query/home-query-files.ts'
export {
  type ChangeableFiles,
  openQueryFiles,
  type QueryFilesOptions,
} from './tasks/query/open-query-files.ts'
export { parseQuery } from './tasks/query/parse-query.ts'
export type { Query } from './tasks/query/query.ts'
export { QueryError } from './tasks/query/query-error.ts'
export { type QueryAnswer, runQuery } from './tasks/query/run-query.ts'
export { type RawText, rawOf, textOf } from './tasks/raw-text.ts'
export { readTaskFile } from './tasks/read-task-file.ts'
export { fieldOf, readTasks, type Task, type TaskField } from './tasks/read-tasks.ts'
export { removeTask } from './tasks/remove-task.ts'
export type { TaskEdit } from './tasks/task-edit.ts'
export {
  type FoundTask,
  openTaskFiles,
  type TaskEditResult,
  type TaskFiles,
  type TaskFilesOptions,
} from './tasks/task-files.ts'
export type { NewTask, TaskChange, TaskFile, TaskItem, TaskProblem, TaskState } from './tasks/task-item.ts'
export { keptValue } from './tasks/task-values.ts'
export { keptTitle } from './tasks/task-words.ts'
export { withLock } from './tasks/with-lock.ts'
export { findTeamOf, teamOfAgent } from './teams/find-team.ts'
export { listTeams, loadTeam, readTeamFiles, readTeamHome, type TeamFile } from './teams/load-team.ts'
export type { Team, TeamSummary, TeamVariant } from './teams/team.ts'
export { attendWorkspaces } from './workspaces/attend-workspaces.ts'
export { createWorkspaces, type WorkspaceKeeper } from './workspaces/create-workspaces.ts'
export type { MergeResult } from './workspaces/merge-workspace.ts'
export type { RollbackRequest, RollbackResult } from './workspaces/rollback-workspace.ts'
export type { Step as WorkspaceStep } from './workspaces/workspace-log.ts'
export type { WorkspaceRecord } from './workspaces/workspace-record.ts'
export type { WorkspaceState } from './workspaces/workspace-state.ts'
