/** Programs that read agent files. */
export type HostName = 'vscode' | 'copilot-harness' | 'copilot-cli' | 'github' | 'claude' | 'opencode'

export interface Host {
  readonly name: HostName
  readonly label: string
  /** Where it looks for agents, for messages. */
  readonly looksIn: string
  /** Cadre's dialects for the folders of this host. */
  readonly dialects: readonly string[]
}

export const hosts: readonly Host[] = [
  {
    name: 'vscode',
    label: 'VS Code',
    looksIn: '.github/agents, .claude/agents and ~/.copilot/agents',
    dialects: ['copilot', 'claude', 'chatmode'],
  },
  {
    name: 'copilot-harness',
    label: 'VS Code, Copilot harness',
    looksIn: '.github/agents, .claude/agents and ~/.copilot/agents',
    dialects: ['copilot', 'claude'],
  },
  {
    name: 'copilot-cli',
    label: 'Copilot CLI',
    looksIn: '.github/agents, .claude/agents and ~/.copilot/agents',
    dialects: ['copilot', 'claude'],
  },
  { name: 'github', label: 'github.com', looksIn: '.github/agents', dialects: ['copilot'] },
  {
    name: 'claude',
    label: 'Claude Code',
    looksIn: '.claude/agents, ~/.claude/agents and plugins',
    dialects: ['claude'],
  },
  {
    name: 'opencode',
    label: 'opencode',
    looksIn: '.opencode/agent and .opencode/agents',
    dialects: ['opencode'],
  },
]

/** How a host handles a key that it does not simply read. The key `*` means the whole file, `header` the whole header. */
export interface HostEffect {
  readonly key: string
  readonly effect: 'ignored' | 'differently' | 'rejects'
  readonly note?: string
}

export type HostEffects = { readonly [host in HostName]?: readonly HostEffect[] }
