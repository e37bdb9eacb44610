export { plainKey } from './header/known-keys.ts'
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
export { nameOfFile } from './load/agent-name.ts'
export type { AgentFile, LoadedAgents } from './load/combine-agents.ts'
export { type AgentRegistry, createAgents } from './load/create-agents.ts'
export { leadOf } from './load/lead-of.ts'
export { type AgentsRequest, loadAgents } from './load/load-agents.ts'
export type { AgentPlaces } from './load/places.ts'
export { readAgentText } from './load/read-agent-text.ts'
export type { ReadAgent } from './load/read-definition.ts'
export type { AgentText } from './load/read-markdown.ts'
export { type ReadJson, readJson } from './settings/read-json.ts'
export { findTeamOf, teamOfAgent } from './teams/find-team.ts'
export { listTeams, loadTeam, readTeamFiles, readTeamHome, type TeamFile } from './teams/load-team.ts'
export type { Team, TeamSummary, TeamVariant } from './teams/team.ts'
export type { FileDialect, TargetDialect } from './write/dialects.ts'
export { type EditedSettings, type EditRequest, editSettings } from './write/edit-settings.ts'
export { type ExportedAgents, type ExportRequest, exportAgents } from './write/export-agents.ts'
export type { Naming } from './write/host-names.ts'
export { type ImportedAgents, importAgents } from './write/import-agents.ts'
export { type PlacedFile, type Placement, type PlaceRequest, placeFiles } from './write/place-files.ts'
export { type WriteOptions, type WrittenAgent, writeAgent } from './write/write-agent.ts'
export type { AgentNote } from './write/write-settings.ts'
