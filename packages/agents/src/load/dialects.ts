/** Describes one dialect of agent files. For a new dialect, add an entry to the table below, and its folders to `agent-paths.ts`. */
export interface Dialect {
  readonly name: string
  /** Matches the paths of its files, with `/`. */
  readonly files: RegExp
  readonly format: 'markdown' | 'yaml' | 'settings'
  /** Matches paths of files that are agents even without a header, with their text as the prompt. */
  readonly headerless?: RegExp
  /** The plugin that provides the files. */
  readonly plugin?: string
  /** Its other names for keys, in lower case, without `-` and `_`. */
  readonly synonyms?: { readonly [spelling: string]: string }
}

const anything = /(?:)/

/** The first match applies: the folder is more specific than the file name. */
const dialects: readonly Dialect[] = [
  {
    name: 'settings',
    files: /(?:^|\/)(?:\.vscode|Code\/User)\/settings\.json$|\.code-workspace$/i,
    format: 'settings',
  },
  {
    name: 'template',
    files: /\.agent\.ya?ml$|(?:^|\/)templates\/(?:.+\/)?[^/]+\.ya?ml$/i,
    format: 'yaml',
    synonyms: { agenttype: 'type', systemprompt: 'prompt', capabilities: 'tools' },
  },
  { name: 'claude', files: /(?:^|\/)\.claude\/agents\/.+\.md$/i, format: 'markdown' },
  {
    name: 'opencode',
    files: /(?:^|\/)(?:\.opencode|\.config\/opencode)\/agents?\/.+\.md$/i,
    format: 'markdown',
    // In opencode, every file there is an agent, including in subfolders.
    headerless: anything,
  },
  { name: 'chatmode', files: /\.chatmode\.md$|(?:^|\/)\.github\/chatmodes\/.+\.md$/i, format: 'markdown' },
  {
    name: 'copilot',
    files: /\.agent\.md$|(?:^|\/)\.(?:github|copilot)\/agents\/.+\.md$/i,
    // VS Code also lists files without a header, with every tool. Its other hosts do not, and notes are not agents.
    format: 'markdown',
  },
  { name: 'claude', files: /(?:^|\/)agents\/.+\.md$/i, format: 'markdown' },
]

/** If the path is ambiguous, any YAML is a template, and Markdown is classified by its keys. */
export function dialectOf(path: string, text: string): Dialect {
  const slashed = path.replaceAll('\\', '/')
  const known = dialects.find(({ files }) => files.test(slashed))
  if (known !== undefined) return known
  if (/\.ya?ml$/i.test(slashed)) return findDialect('template')
  if (/\.jsonc?$/i.test(slashed)) return findDialect('settings')
  const head = text.slice(0, 16_000)
  if (/^(?:permission:|mode:\s*(?:primary|subagent|all)\s*$)/m.test(head))
    return findDialect('opencode', false)
  const isCopilot =
    /^(?:handoffs|argument-hint|target|user-invo[ck]able|disable-model-invocation|infer|mcp-servers):/m
  return findDialect(isCopilot.test(head) ? 'copilot' : 'claude')
}

/** A file in another folder than that of its dialect needs a header to be an agent. */
export function findDialect(name: string, isAtHome = true): Dialect {
  const found = dialects.find((dialect) => dialect.name === name)
  if (found === undefined) throw new Error(`unreachable: no dialect ${name}`)
  const { headerless, ...rest } = found
  return isAtHome && headerless !== undefined ? found : rest
}

/** In a Claude Code plugin, every Markdown file is an agent; missing keys are derived from the file and the plugin. */
export function pluginDialect(dialect: Dialect, plugin: string): Dialect {
  return dialect.name === 'claude' ? { ...dialect, headerless: anything, plugin } : dialect
}
