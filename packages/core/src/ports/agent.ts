import type { Json } from './json.ts'
import type { Handoff } from './report.ts'

/** The class of a tool. A tool of class `other` has no class name in agent files: select it by its name, its server or `*`. */
export type ToolClass =
  | 'read'
  | 'search'
  | 'edit'
  | 'execute'
  | 'web'
  | 'agent'
  | 'todo'
  | 'task'
  | 'message'
  | 'other'

/** Which tools an agent may use. A list contains tool names, aliases or classes. An empty list selects no tools. */
export type ToolSelection =
  | { readonly kind: 'all' }
  | { readonly kind: 'list'; readonly names: readonly string[] }

/** The agents that an agent may delegate to. */
export type DelegateSelection =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'list'; readonly names: readonly string[] }

/** Each number is a maximum for the session and everything it starts. */
export interface Budget {
  /** Input and output tokens together. */
  readonly tokens?: number
  /** US dollars. */
  readonly cost?: number
  readonly calls?: number
}

export interface AgentLimits {
  /** Rounds per session. */
  readonly maxTurns?: number
  /** The maximum duration of a delegation to this agent, in seconds, without the time it waits for a person. */
  readonly timeoutSeconds?: number
  readonly budget?: Budget
}

/**
 * A rule in an agent file for some uses of its tools. The last rule that matches a call applies. `allow` only cancels an earlier
 * rule in the same list: an agent file cannot permit a call that a policy, a hook or a flag denies.
 */
export interface PermissionRule {
  /** A tool, a class or a tool name in any dialect. `*` matches every tool. */
  readonly tool: string
  /** The subject of the call: a path in the workspace, a command, a URL or an agent. May contain the wildcards `*` and `?`. */
  readonly pattern: string
  readonly action: 'allow' | 'ask' | 'deny'
}

/** Restricts the tools of an agent further than its tool list does. Never grants anything. */
export interface Boundary {
  /** `none`: the agent may not change files. `artifact`: it may only write its artifact, `.github/hooks/artifacts/<name>.md`. */
  readonly writes?: 'none' | 'artifact'
  /** `none`: the agent may not run commands. `copy`: its commands run in a copy of the workspace, which is then deleted. */
  readonly commands?: 'none' | 'copy'
}

/** The file that defines an agent. */
export interface AgentSource {
  readonly path: string
  readonly dialect: string
  readonly line?: number
}

/** A named role: instructions, tools, model, limits. Data, never a process. */
export interface AgentDefinition {
  readonly name: string
  readonly description: string
  /** When to delegate to this agent, for the prompts of other agents. Default: the description. */
  readonly useFor?: string
  readonly type?: string
  readonly prompt: string
  readonly tools: ToolSelection
  readonly disallowedTools?: readonly string[]
  readonly permissions?: readonly PermissionRule[]
  readonly boundary?: Boundary
  /** Default: an entry session may delegate to every agent, a delegated session to none. */
  readonly delegates?: DelegateSelection
  /** Models in order of preference. Empty or absent: the parent's model, or the default model. */
  readonly models?: readonly string[]
  readonly limits?: AgentLimits
  /** Headings that its report must contain. */
  readonly requiredSections?: readonly string[]
  readonly handoffs?: readonly Handoff[]
  readonly isolation?: 'shared' | 'workspace'
  /** Delegations to this agent run in the background: the delegating agent receives the result when its turn ends. */
  readonly background?: boolean
  /** Hooks as written in the agent file. Core does not interpret them. */
  readonly hooks?: Json
  /** MCP servers as written in the agent file. Core does not interpret them. */
  readonly mcpServers?: Json
  /** Whether users may start the agent. Default: true. */
  readonly userInvocable?: boolean
  /** Whether other agents may start the agent. Default: true. */
  readonly modelInvocable?: boolean
  readonly source?: AgentSource
  /** Unknown keys of the agent file, kept so that they can be written back. */
  readonly unknown?: { readonly [key: string]: Json }
}
