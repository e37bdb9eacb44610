import type { HostEffect, HostName } from './host.ts'
import {
  claudeModel,
  colors,
  deprecated,
  flag,
  type HostCell,
  handoffsWithPrompts,
  hookEvents,
  ignored,
  ignoredRestriction,
  inClaudeFiles,
  judge,
  type KeyContext,
  mapOfBooleans,
  modes,
  names,
  oldSpelling,
  previewHookEvents,
  providerModel,
  providerOption,
  readsOneModel,
  removed,
  requiresOneModel,
  strictNames,
  supported,
  text,
  textList,
  unlessGitHubOnly,
  unlessVsCodeOnly,
  withAgentTool,
} from './host-cells.ts'

type Row = readonly [
  key: string,
  vscode: HostCell,
  harness: HostCell,
  cli: HostCell,
  github: HostCell,
  claude: HostCell,
  opencode: HostCell,
]

/**
 * Which host reads which key, with its spelling. VS Code's Copilot harness uses the same engine as Copilot CLI, so it is
 * assumed to behave the same. Keys without a row are unknown to all of them.
 */
// biome-ignore format: a table is read by its columns
const rows: readonly Row[] = [
  //                             VS Code              harness      CLI          github.com  Claude Code  opencode
  ['name',                       supported,                 text,        text,        supported,        supported,         supported],
  ['description',                supported,                 text,        text,        supported,        supported,         supported],
  ['tools',                      names,               strictNames, strictNames, names,      names,       mapOfBooleans],
  ['model',                      supported,                 requiresOneModel,    requiresOneModel,    readsOneModel, claudeModel, providerModel],
  ['argument-hint',              supported,                 ignored,          ignored,          ignored,         ignored,          providerOption],
  ['agents',                     withAgentTool,       ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['reasoning-effort',           supported,                 supported,         supported,         supported,        ignored,          providerOption],
  ['user-invocable',             supported,                 flag,        flag,        supported,        ignoredRestriction,        providerOption],
  ['user-invokable',             oldSpelling,         oldSpelling, oldSpelling, oldSpelling, oldSpelling, providerOption],
  ['disable-model-invocation',   supported,                 flag,        flag,        supported,        ignoredRestriction,        providerOption],
  ['infer',                      deprecated,          flag,        flag,        removed,    ignoredRestriction,        providerOption],
  ['target',                     unlessGitHubOnly,            ignored,          ignored,          unlessVsCodeOnly,   ignored,          providerOption],
  ['handoffs',                   handoffsWithPrompts,         ignored,          ignored,          ignored,         ignored,          providerOption],
  ['hooks',                      previewHookEvents,             ignored,          ignored,          ignored,         hookEvents('read'), providerOption],
  ['mcp-servers',                ignored,                  supported,         supported,         supported,        ignored,          providerOption],
  ['github',                     supported,                 ignored,          ignored,          supported,        ignored,          providerOption],
  ['metadata',                   ignored,                  ignored,          ignored,          supported,        ignored,          providerOption],
  ['skills',                     inClaudeFiles(ignored),   textList,  textList,  ignored,         supported,         providerOption],
  ['sidekick',                   ignored,                  ignored,          supported,         ignored,         ignored,          providerOption],
  ['disallowedTools',            inClaudeFiles(ignoredRestriction), ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       supported,         providerOption],
  ['permissionMode',             inClaudeFiles(ignoredRestriction), ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       supported,         providerOption],
  ['mcpServers',                 inClaudeFiles(ignored),   ignored,          ignored,          ignored,         supported,         providerOption],
  ['memory',                     inClaudeFiles(ignored),   ignored,          ignored,          ignored,         supported,         providerOption],
  ['maxTurns',                   ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       supported,         providerOption],
  ['background',                 ignored,                  ignored,          ignored,          ignored,         supported,         providerOption],
  ['isolation',                  ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       supported,         providerOption],
  ['effort',                     ignored,                  ignored,          ignored,          ignored,         supported,         providerOption],
  ['initialPrompt',              ignored,                  ignored,          ignored,          ignored,         supported,         providerOption],
  ['autoCompactWindow',          ignored,                  ignored,          ignored,          ignored,         supported,         providerOption],
  ['omitClaudeMd',               ignored,                  ignored,          ignored,          ignored,         supported,         providerOption],
  ['observer',                   ignored,                  ignored,          ignored,          ignored,         supported,         providerOption],
  ['observerMessage',            ignored,                  ignored,          ignored,          ignored,         supported,         providerOption],
  ['color',                      ignored,                  ignored,          ignored,          ignored,         supported,         colors],
  ['mode',                       ignored,                  ignored,          ignored,          ignored,         ignored,          modes],
  ['permission',                 ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        supported],
  ['temperature',                ignored,                  ignored,          ignored,          ignored,         ignored,          supported],
  ['top_p',                      ignored,                  ignored,          ignored,          ignored,         ignored,          supported],
  ['steps',                      ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        supported],
  ['disable',                    ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        supported],
  ['hidden',                     ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        supported],
  ['prompt',                     ignored,                  ignored,          ignored,          ignored,         ignored,          supported],
  ['variant',                    ignored,                  ignored,          ignored,          ignored,         ignored,          supported],
  ['options',                    ignored,                  ignored,          ignored,          ignored,         ignored,          supported],
  ['subagents',                  ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['allowedTools',               ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['allowed-tools',              ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['allowed_tools',              ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['disallowed-tools',           ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['disallowed_tools',           ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['max_turns',                  ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['max-turns',                  ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['timeout',                    ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['budget',                     ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['readonly',                   ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
]

const unknown: Row = ['', ignored, ignored, ignored, ignored, ignored, providerOption]

const columns: { readonly [host in HostName]: number } = {
  vscode: 1,
  'copilot-harness': 2,
  'copilot-cli': 3,
  github: 4,
  claude: 5,
  opencode: 6,
}

const byKey: ReadonlyMap<string, Row> = new Map(rows.map((row) => [row[0], row]))

/** Returns the effect of a host on a key; `undefined` if it reads it. */
export function effectOfKey(host: HostName, key: string, context: KeyContext): HostEffect | undefined {
  const verdict = judge((byKey.get(key) ?? unknown)[columns[host]] as HostCell, context)
  return verdict === 'read' ? undefined : { key, ...verdict }
}
