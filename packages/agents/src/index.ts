export { plainKey } from './header/known-keys.ts'
export { findLintFiles } from './lint/find-lint-files.ts'
export { fixAgentText } from './lint/fix/fix-agent-text.ts'
export { writeFixedFile } from './lint/fix/write-fixed-file.ts'
export { type HookEvent, hookEvents, interpretHookEvent } from './lint/hook-events.ts'
export { type HostEffect, type HostName, hosts } from './lint/hosts/host.ts'
export { type LintOptions, lintFiles, lintFolder, shownPath } from './lint/lint-folder.ts'
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
export { agentNameFromPath } from './load/agent-name.ts'
export type { AgentPaths, EditorSettings } from './load/agent-paths.ts'
export type { AgentFile, LoadedAgents } from './load/combine-agents.ts'
export { type AgentRegistry, createAgents } from './load/create-agents.ts'
export { findLead } from './load/find-lead.ts'
export { loadAgents } from './load/load-agents.ts'
export { readAgentText } from './load/read-agent-text.ts'
export type { ParsedAgent } from './load/read-definition.ts'
export { mergeHooks, type RequestedHook } from './settings/merge-hooks.ts'
export { migrateSettings } from './settings/migrate-settings.ts'
export { readJson } from './settings/read-json.ts'
export { readSettingsAgents } from './settings/read-settings.ts'
export { settingsLimits } from './settings/settings-limits.ts'
export type { SettingsDiagnostic } from './settings/settings-report.ts'
export type { Team, TeamSummary } from './teams/built-in-team.ts'
export { findTeamWith, teamForAgent } from './teams/find-team.ts'
export { listTeams, loadTeam, readTeamFiles, readTeamHome } from './teams/load-team.ts'
export {
  type ChangedSettings,
  changeSettings,
  type SettingsChange,
} from './write/change-settings.ts'
export type { FileDialect, TargetDialect } from './write/dialect-facts.ts'
export { editJsonKey } from './write/edit-json-key.ts'
export { editSettings } from './write/edit-settings.ts'
export { type ExportedAgents, exportAgents } from './write/export-agents.ts'
export { importAgents } from './write/import-agents.ts'
export { type PlacedFile, type PlaceFilesRequest, type Placement, placeFiles } from './write/place-files.ts'
export { serializeAgent } from './write/serialize-agent.ts'
export type { NameMode } from './write/translate-to-host.ts'
export type { AgentNote } from './write/write-settings.ts'
