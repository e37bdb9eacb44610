import type { HostEffect, HostName } from './host.ts'
import {
  claudeModel,
  deprecated,
  flag,
  type HostCell,
  hex,
  hookEvents,
  inClaudeFiles,
  judge,
  type KeyContext,
  listOfText,
  modes,
  names,
  no,
  oldSpelling,
  oneModel,
  onlyOneModel,
  open,
  option,
  preview,
  providerModel,
  retired,
  strictNames,
  switches,
  text,
  toGitHub,
  toVsCode,
  withAgentTool,
  withPrompts,
  yes,
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
  ['name',                       yes,                 text,        text,        yes,        yes,         yes],
  ['description',                yes,                 text,        text,        yes,        yes,         yes],
  ['tools',                      names,               strictNames, strictNames, names,      names,       switches],
  ['model',                      yes,                 oneModel,    oneModel,    onlyOneModel, claudeModel, providerModel],
  ['argument-hint',              yes,                 no,          no,          no,         no,          option],
  ['agents',                     withAgentTool,       open,        open,        open,       open,        option],
  ['reasoning-effort',           yes,                 yes,         yes,         yes,        no,          option],
  ['user-invocable',             yes,                 flag,        flag,        yes,        open,        option],
  ['user-invokable',             oldSpelling,         oldSpelling, oldSpelling, oldSpelling, oldSpelling, option],
  ['disable-model-invocation',   yes,                 flag,        flag,        yes,        open,        option],
  ['infer',                      deprecated,          flag,        flag,        retired,    open,        option],
  ['target',                     toVsCode,            no,          no,          toGitHub,   no,          option],
  ['handoffs',                   withPrompts,         no,          no,          no,         no,          option],
  ['hooks',                      preview,             no,          no,          no,         hookEvents('read'), option],
  ['mcp-servers',                no,                  yes,         yes,         yes,        no,          option],
  ['github',                     yes,                 no,          no,          yes,        no,          option],
  ['metadata',                   no,                  no,          no,          yes,        no,          option],
  ['skills',                     inClaudeFiles(no),   listOfText,  listOfText,  no,         yes,         option],
  ['sidekick',                   no,                  no,          yes,         no,         no,          option],
  ['disallowedTools',            inClaudeFiles(open), open,        open,        open,       yes,         option],
  ['permissionMode',             inClaudeFiles(open), open,        open,        open,       yes,         option],
  ['mcpServers',                 inClaudeFiles(no),   no,          no,          no,         yes,         option],
  ['memory',                     inClaudeFiles(no),   no,          no,          no,         yes,         option],
  ['maxTurns',                   open,                open,        open,        open,       yes,         option],
  ['background',                 no,                  no,          no,          no,         yes,         option],
  ['isolation',                  open,                open,        open,        open,       yes,         option],
  ['effort',                     no,                  no,          no,          no,         yes,         option],
  ['initialPrompt',              no,                  no,          no,          no,         yes,         option],
  ['autoCompactWindow',          no,                  no,          no,          no,         yes,         option],
  ['omitClaudeMd',               no,                  no,          no,          no,         yes,         option],
  ['observer',                   no,                  no,          no,          no,         yes,         option],
  ['observerMessage',            no,                  no,          no,          no,         yes,         option],
  ['color',                      no,                  no,          no,          no,         yes,         hex],
  ['mode',                       no,                  no,          no,          no,         no,          modes],
  ['permission',                 open,                open,        open,        open,       open,        yes],
  ['temperature',                no,                  no,          no,          no,         no,          yes],
  ['top_p',                      no,                  no,          no,          no,         no,          yes],
  ['steps',                      open,                open,        open,        open,       open,        yes],
  ['disable',                    open,                open,        open,        open,       open,        yes],
  ['hidden',                     open,                open,        open,        open,       open,        yes],
  ['prompt',                     no,                  no,          no,          no,         no,          yes],
  ['variant',                    no,                  no,          no,          no,         no,          yes],
  ['options',                    no,                  no,          no,          no,         no,          yes],
  ['subagents',                  open,                open,        open,        open,       open,        option],
  ['allowedTools',               open,                open,        open,        open,       open,        option],
  ['allowed-tools',              open,                open,        open,        open,       open,        option],
  ['allowed_tools',              open,                open,        open,        open,       open,        option],
  ['disallowed-tools',           open,                open,        open,        open,       open,        option],
  ['disallowed_tools',           open,                open,        open,        open,       open,        option],
  ['max_turns',                  open,                open,        open,        open,       open,        option],
  ['max-turns',                  open,                open,        open,        open,       open,        option],
  ['timeout',                    open,                open,        open,        open,       open,        option],
  ['budget',                     open,                open,        open,        open,       open,        option],
  ['readonly',                   open,                open,        open,        open,       open,        option],
]

const unknown: Row = ['', no, no, no, no, no, option]

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
