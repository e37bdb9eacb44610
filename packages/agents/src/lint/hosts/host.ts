/** Programs that read agent files. */
export type HostName = 'vscode' | 'copilot-harness' | 'copilot-cli' | 'github' | 'claude' | 'opencode'

export interface Host {
  readonly name: HostName
  readonly label: string
  /** Where it looks for agents, in words. */
  readonly looksIn: string
  /** Dialects of this program's own reader that lie where the host looks. */
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

/**
 * What a host makes of a key, where it does not simply read it. The key `*` stands for the whole file, `header` for the
 * header as a whole.
 */
export interface HostEffect {
  readonly key: string
  readonly effect: 'ignored' | 'differently' | 'rejects'
  readonly note?: string
}

export type HostEffects = { readonly [host in HostName]?: readonly HostEffect[] }
