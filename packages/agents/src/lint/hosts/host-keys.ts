import type { HostEffect, HostName } from './host.ts'
import {
  booleanCell,
  claudeModel,
  colorCell,
  deprecatedCell,
  evaluateCell,
  type HostCell,
  handoffsWithPrompts,
  hookEvents,
  ignoredCell,
  ignoredRestriction,
  inClaudeFiles,
  type KeyContext,
  mapOfBooleans,
  modeCell,
  namesCell,
  oldSpelling,
  previewHookEvents,
  providerModel,
  providerOption,
  readsOneModel,
  removedCell,
  requiresOneModel,
  strictNames,
  supportedCell,
  textCell,
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
  ['name',                       supportedCell,                 textCell,        textCell,        supportedCell,        supportedCell,         supportedCell],
  ['description',                supportedCell,                 textCell,        textCell,        supportedCell,        supportedCell,         supportedCell],
  ['tools',                      namesCell,               strictNames, strictNames, namesCell,      namesCell,       mapOfBooleans],
  ['model',                      supportedCell,                 requiresOneModel,    requiresOneModel,    readsOneModel, claudeModel, providerModel],
  ['argument-hint',              supportedCell,                 ignoredCell,          ignoredCell,          ignoredCell,         ignoredCell,          providerOption],
  ['agents',                     withAgentTool,       ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        providerOption],
  ['reasoning-effort',           supportedCell,                 supportedCell,         supportedCell,         supportedCell,        ignoredCell,          providerOption],
  ['user-invocable',             supportedCell,                 booleanCell,        booleanCell,        supportedCell,        ignoredRestriction,        providerOption],
  ['user-invokable',             oldSpelling,         oldSpelling, oldSpelling, oldSpelling, oldSpelling, providerOption],
  ['disable-model-invocation',   supportedCell,                 booleanCell,        booleanCell,        supportedCell,        ignoredRestriction,        providerOption],
  ['infer',                      deprecatedCell,          booleanCell,        booleanCell,        removedCell,    ignoredRestriction,        providerOption],
  ['target',                     unlessGitHubOnly,            ignoredCell,          ignoredCell,          unlessVsCodeOnly,   ignoredCell,          providerOption],
  ['handoffs',                   handoffsWithPrompts,         ignoredCell,          ignoredCell,          ignoredCell,         ignoredCell,          providerOption],
  ['hooks',                      previewHookEvents,             ignoredCell,          ignoredCell,          ignoredCell,         hookEvents('read'), providerOption],
  ['mcp-servers',                ignoredCell,                  supportedCell,         supportedCell,         supportedCell,        ignoredCell,          providerOption],
  ['github',                     supportedCell,                 ignoredCell,          ignoredCell,          supportedCell,        ignoredCell,          providerOption],
  ['metadata',                   ignoredCell,                  ignoredCell,          ignoredCell,          supportedCell,        ignoredCell,          providerOption],
  ['skills',                     inClaudeFiles(ignoredCell),   textList,  textList,  ignoredCell,         supportedCell,         providerOption],
  ['sidekick',                   ignoredCell,                  ignoredCell,          supportedCell,         ignoredCell,         ignoredCell,          providerOption],
  ['disallowedTools',            inClaudeFiles(ignoredRestriction), ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       supportedCell,         providerOption],
  ['permissionMode',             inClaudeFiles(ignoredRestriction), ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       supportedCell,         providerOption],
  ['mcpServers',                 inClaudeFiles(ignoredCell),   ignoredCell,          ignoredCell,          ignoredCell,         supportedCell,         providerOption],
  ['memory',                     inClaudeFiles(ignoredCell),   ignoredCell,          ignoredCell,          ignoredCell,         supportedCell,         providerOption],
  ['maxTurns',                   ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       supportedCell,         providerOption],
  ['background',                 ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         supportedCell,         providerOption],
  ['isolation',                  ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       supportedCell,         providerOption],
  ['effort',                     ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         supportedCell,         providerOption],
  ['initialPrompt',              ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         supportedCell,         providerOption],
  ['autoCompactWindow',          ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         supportedCell,         providerOption],
  ['omitClaudeMd',               ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         supportedCell,         providerOption],
  ['observer',                   ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         supportedCell,         providerOption],
  ['observerMessage',            ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         supportedCell,         providerOption],
  ['color',                      ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         supportedCell,         colorCell],
  ['mode',                       ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         ignoredCell,          modeCell],
  ['permission',                 ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        supportedCell],
  ['temperature',                ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         ignoredCell,          supportedCell],
  ['top_p',                      ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         ignoredCell,          supportedCell],
  ['steps',                      ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        supportedCell],
  ['disable',                    ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        supportedCell],
  ['hidden',                     ignoredRestriction,                ignoredRestriction,        ignoredRestriction,        ignoredRestriction,       ignoredRestriction,        supportedCell],
  ['prompt',                     ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         ignoredCell,          supportedCell],
  ['variant',                    ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         ignoredCell,          supportedCell],
  ['options',                    ignoredCell,                  ignoredCell,          ignoredCell,          ignoredCell,         ignoredCell,          supportedCell],
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

const unknown: Row = ['', ignoredCell, ignoredCell, ignoredCell, ignoredCell, ignoredCell, providerOption]

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
  const verdict = evaluateCell((byKey.get(key) ?? unknown)[columns[host]] as HostCell, context)
  return verdict === 'read' ? undefined : { key, ...verdict }
}
