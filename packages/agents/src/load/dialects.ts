/** How one dialect writes agents. A new dialect is one more entry in the table below, and its places in `places.ts`. */
export interface Dialect {
  readonly name: string
  /** Paths of its files, with `/`. */
  readonly files: RegExp
  readonly format: 'markdown' | 'yaml' | 'settings'
  /** Paths of its files that are agents without a header as well, with their text as the prompt. */
  readonly headerless?: RegExp
  /** The plugin that brings the files. */
  readonly plugin?: string
  /** Other names it has for keys, in small letters, without `-` and `_`. */
  readonly synonyms?: { readonly [spelling: string]: string }
}

const anything = /(?:)/

/** The first that fits a path counts: the folder says more than the name of the file. */
export const dialects: readonly Dialect[] = [
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
    // Everything there is an agent to opencode, in folders as well.
    headerless: anything,
  },
  { name: 'chatmode', files: /\.chatmode\.md$|(?:^|\/)\.github\/chatmodes\/.+\.md$/i, format: 'markdown' },
  {
    name: 'copilot',
    files: /\.agent\.md$|(?:^|\/)\.(?:github|copilot)\/agents\/.+\.md$/i,
    // VS Code lists files without a header as well, with every tool. Its other hosts do not, and notes are no agents.
    format: 'markdown',
  },
  { name: 'claude', files: /(?:^|\/)agents\/.+\.md$/i, format: 'markdown' },
]

/** Where the path says nothing: any YAML is a template, and Markdown is what its keys look like. */
export function dialectOf(path: string, text: string): Dialect {
  const slashed = path.replaceAll('\\', '/')
  const known = dialects.find(({ files }) => files.test(slashed))
  if (known !== undefined) return known
  if (/\.ya?ml$/i.test(slashed)) return dialectNamed('template')
  if (/\.jsonc?$/i.test(slashed)) return dialectNamed('settings')
  const head = text.slice(0, 16_000)
  if (/^(?:permission:|mode:\s*(?:primary|subagent|all)\s*$)/m.test(head))
    return dialectNamed('opencode', false)
  const isCopilot =
    /^(?:handoffs|argument-hint|target|user-invo[ck]able|disable-model-invocation|infer|mcp-servers):/m
  return dialectNamed(isCopilot.test(head) ? 'copilot' : 'claude')
}

/** A file that only looks like one of a dialect is an agent only with a header. */
export function dialectNamed(name: string, isAtHome = true): Dialect {
  const found = dialects.find((dialect) => dialect.name === name)
  if (found === undefined) throw new Error(`unreachable: no dialect ${name}`)
  const { headerless, ...rest } = found
  return isAtHome && headerless !== undefined ? found : rest
}

/** Of a plugin of Claude Code every Markdown file is an agent; what its header does not say, the file and the plugin do. */
export function ofPlugin(dialect: Dialect, plugin: string): Dialect {
  return dialect.name === 'claude' ? { ...dialect, headerless: anything, plugin } : dialect
}
