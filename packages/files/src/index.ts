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
export type { FileDialect, TargetDialect } from './agents/write/dialects.ts'
export { type EditedSettings, type EditRequest, editSettings } from './agents/write/edit-settings.ts'
export { type ExportedAgents, type ExportRequest, exportAgents } from './agents/write/export-agents.ts'
export type { Naming } from './agents/write/host-names.ts'
export { type ImportedAgents, importAgents } from './agents/write/import-agents.ts'
export { type PlacedFile, type Placement, type PlaceRequest, placeFiles } from './agents/write/place-files.ts'
export { type WriteOptions, type WrittenAgent, writeAgent } from './agents/write/write-agent.ts'
export type { AgentNote } from './agents/write/write-settings.ts'
export { type AppendedSetting, appendSetting, type NewSetting } from './append-setting.ts'
export type { BudgetSettings, Config, LimitSettings, ModelSettings, OpenAiSettings } from './config/config.ts'
export { fingerprintModule } from './config/fingerprint-module.ts'
export { type ConfigRequest, type LoadedConfig, loadConfig, type NeedsTrust } from './config/load-config.ts'
export { type ModuleFile, moduleFiles } from './config/module-files.ts'
export { createTrust, type Trust, type TrustItem, type TrustOptions } from './config/trust.ts'
export { type Diagnostic, showDiagnostic } from './diagnostic.ts'
export type { JournalDiagnostic } from './engine/engine-parts.ts'
export { createFileEngine, type FileEngine, type FileEngineOptions } from './engine/file-engine.ts'
export type { ProcessIdentity } from './engine/process-identity.ts'
export { type Home, type HomeOptions, openHome } from './home/open-home.ts'
export { repositoryOf } from './home/repository-of.ts'
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
export { isInside } from './is-inside.ts'
export { isObject } from './is-object.ts'
export type { SessionSummary } from './journal/read-summary.ts'
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
export { allowOnly } from './policy/allow-only.ts'
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
export { systemClock } from './system/system-clock.ts'
export { editFile, readPlainFile } from './tasks/edit-file.ts'
export {
  applySplices,
  fieldSplice,
  insertTask,
  markerSplice,
  type NewField,
  type Splice,
} from './tasks/edit-tasks.ts'
export { type RawText, rawOf, textOf } from './tasks/raw-text.ts'
export { fieldOf, linesOf, readTasks, type Task, type TaskField } from './tasks/read-tasks.ts'
export { withLock } from './tasks/with-lock.ts'
export { findTeamOf, teamOfAgent } from './teams/find-team.ts'
export { listTeams, loadTeam, readTeamFiles, type TeamFile } from './teams/load-team.ts'
export type { Team, TeamSummary, TeamVariant } from './teams/team.ts'
export type {
  NewTask,
  TaskChange,
  TaskFile,
  TaskItem,
  TaskProblem,
  TaskState,
} from './tasks/task-item.ts'
