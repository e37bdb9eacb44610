/** The dialects of agent files that people edit. */
export type HeaderDialect = 'copilot' | 'claude' | 'opencode' | 'template'

interface HeaderKey {
  readonly key: string
  /** The dialects with this key. Default: all. */
  readonly of?: readonly HeaderDialect[]
  readonly about: string
  /** The possible values, if there are only a few. */
  readonly values?: readonly string[]
  /** Only Cadre reads it, so no other completion offers it. */
  readonly isOwn?: boolean
}

const booleanValues = ['true', 'false'] as const
const copilot: readonly HeaderDialect[] = ['copilot']
const claude: readonly HeaderDialect[] = ['claude']
const opencode: readonly HeaderDialect[] = ['opencode']
const template: readonly HeaderDialect[] = ['template']

// biome-ignore format: a table is read by its columns
const keys: readonly HeaderKey[] = [
  { key: 'name', of: ['copilot', 'claude', 'opencode'], about: "The agent's name. Default: the file name." },
  { key: 'id', of: template, about: "The agent's name." },
  { key: 'description', about: 'What the agent is for, in one sentence. Other agents read this description to choose an agent.' },
  { key: 'use-for', of: copilot, isOwn: true, about: 'The kind of work that other agents should delegate to this agent.' },
  { key: 'tools', of: ['copilot', 'claude', 'opencode'], about: 'The tools that the agent may use. Without this key, the agent may use all tools.' },
  { key: 'capabilities', of: template, about: 'The tools that the agent may use.' },
  { key: 'disallowed-tools', of: copilot, isOwn: true, about: 'Tools that the agent may not use, even if `tools` lists them. VS Code does not read this key.' },
  { key: 'disallowedTools', of: claude, about: 'Tools that the agent may not use, even if `tools` lists them.' },
  { key: 'agents', of: copilot, about: 'The agents that this agent may delegate to: `*` means all, `[]` means none. Requires the tool `agent`.' },
  { key: 'model', about: 'The model that the agent uses, or a list of models: Cadre uses the first one that is available.' },
  { key: 'handoffs', of: copilot, about: 'Buttons below an answer that hand the work to another agent.' },
  { key: 'argument-hint', of: copilot, about: 'The placeholder text in the chat input for this agent.' },
  { key: 'target', of: copilot, values: ['vscode', 'github-copilot'], about: 'Where the agent is available. Default: everywhere.' },
  { key: 'user-invocable', of: copilot, values: booleanValues, about: 'Whether users can start this agent. Default: true.' },
  { key: 'disable-model-invocation', of: copilot, values: booleanValues, about: 'If true, other agents cannot delegate to this agent. Default: false.' },
  { key: 'hooks', of: ['copilot', 'claude'], about: "Commands that run at certain events, such as before each of this agent's tool calls." },
  { key: 'mcp-servers', of: copilot, about: "The agent's MCP servers. VS Code ignores this key." },
  { key: 'max-turns', of: copilot, isOwn: true, about: 'The maximum number of rounds.' },
  { key: 'maxTurns', of: claude, about: 'The maximum number of rounds.' },
  { key: 'steps', of: opencode, about: 'The maximum number of rounds.' },
  { key: 'required-sections', of: copilot, isOwn: true, about: "Headings that the agent's report must have. If one is missing, Cadre sends the report back." },
  { key: 'metadata', of: ['copilot', 'template'], about: 'More keys with text values, for other programs.' },
  { key: 'permissionMode', of: claude, values: ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'], about: 'When the agent asks for permission.' },
  { key: 'skills', of: claude, about: 'Skills that are loaded when this agent starts.' },
  { key: 'mcpServers', of: claude, about: 'MCP servers that this agent may use.' },
  { key: 'memory', of: claude, values: ['user', 'project', 'local'], about: 'Where this agent stores its memory.' },
  { key: 'background', of: claude, values: booleanValues, about: 'Whether this agent always runs in the background.' },
  { key: 'isolation', of: claude, values: ['worktree'], about: 'Whether this agent works in its own worktree.' },
  { key: 'effort', of: claude, values: ['low', 'medium', 'high', 'max'], about: 'How much reasoning effort the model uses.' },
  { key: 'color', of: ['claude', 'opencode'], about: 'The colour of this agent in lists.' },
  { key: 'mode', of: opencode, values: ['primary', 'subagent', 'all'], about: 'Who can start this agent: users, other agents, or both.' },
  { key: 'permission', of: opencode, about: 'For each tool: allow, ask or deny.' },
  { key: 'temperature', of: opencode, about: 'The sampling temperature, from 0 to 1.' },
  { key: 'top_p', of: opencode, about: 'The top-p (nucleus) sampling threshold, from 0 to 1.' },
  { key: 'disable', of: opencode, values: booleanValues, about: 'Whether the agent is disabled.' },
  { key: 'hidden', of: opencode, values: booleanValues, about: 'Whether this agent is hidden from lists.' },
  { key: 'type', of: template, about: 'The kind of agent.' },
  { key: 'system_prompt', of: template, about: "The agent's instructions." },
]

// biome-ignore format: a table is read by its columns
const handoffKeys: readonly HeaderKey[] = [
  { key: 'label', about: 'The button text.' },
  { key: 'agent', about: 'The agent that receives the work.' },
  { key: 'prompt', about: 'The prompt for that agent. VS Code ignores a handoff without one.' },
  { key: 'send', values: booleanValues, about: 'Whether the prompt is sent immediately. Default: false.' },
  { key: 'model', about: 'The model that the agent uses.' },
  { key: 'showContinueOn', values: booleanValues, about: 'Whether the work can be continued elsewhere.' },
]

/** Returns the possible keys here, in this dialect. */
export function keysOf(dialect: HeaderDialect, path: readonly string[] = []): readonly HeaderKey[] {
  if (path.length > 0) return path[0] === 'handoffs' ? handoffKeys : []
  return keys.filter(({ of }) => of === undefined || of.includes(dialect))
}

/** Returns the description of a key, in any spelling. */
export function findKey(
  dialect: HeaderDialect,
  path: readonly string[],
  written: string,
): HeaderKey | undefined {
  const plain = (key: string) => key.toLowerCase().replaceAll(/[-_]/g, '')
  const among = path.length > 0 ? keysOf(dialect, path) : [...keysOf(dialect), ...keys]
  return among.find(({ key }) => plain(key) === plain(written))
}

/** Maps the dialect name of the agent file reader. */
export function headerDialect(name: string): HeaderDialect {
  return name === 'claude' || name === 'opencode' || name === 'template' ? name : 'copilot'
}

const lists: Readonly<Record<string, 'tools' | 'agents' | 'models'>> = {
  tools: 'tools',
  capabilities: 'tools',
  allowedtools: 'tools',
  disallowedtools: 'tools',
  permission: 'tools',
  agents: 'agents',
  subagents: 'agents',
  'handoffs.agent': 'agents',
  model: 'models',
  models: 'models',
  'handoffs.model': 'models',
}

/** Returns what the values of a key refer to. */
export function valueKindOf(path: readonly string[]): 'tools' | 'agents' | 'models' | undefined {
  return lists[path.join('.').toLowerCase().replaceAll(/[-_]/g, '')]
}
