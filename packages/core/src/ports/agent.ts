import type { Json } from './json.ts'
import type { Handoff } from './report.ts'

/** `other`: no word stands for it. Such a tool is selected by its name, its server or `*`. */
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

/** Which tools an agent may use. A list holds tool names, aliases or classes; an empty list is none at all. */
export type ToolSelection =
  | { readonly kind: 'all' }
  | { readonly kind: 'list'; readonly names: readonly string[] }

/** Whom an agent may delegate to. */
export type DelegateSelection =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'list'; readonly names: readonly string[] }

/** Every number is a ceiling for the session it is given to and everything that session starts. */
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
  /** Seconds a delegation to this agent may take; waiting for a person does not count. */
  readonly timeoutSeconds?: number
  readonly budget?: Budget
}

/**
 * What an agent's own file says about some uses of its tools. Of the rules that fit a call the last one holds. `allow`
 * takes back an earlier rule of the same list and nothing else: a file cannot permit what anybody else forbids.
 */
export interface PermissionRule {
  /** A tool, a class or a name of any dialect; `*` is every tool. */
  readonly tool: string
  /** What the call is about: a path below the workspace, a command, an address, an agent. `*` and `?` stand for anything. */
  readonly pattern: string
  readonly action: 'allow' | 'ask' | 'deny'
}

/** How far an agent's tools reach, whatever its list says. It narrows what the list grants and never adds to it. */
export interface Boundary {
  /** `none`: it changes no file. `artifact`: only its own artifact, `.github/hooks/artifacts/<name>.md`. */
  readonly writes?: 'none' | 'artifact'
  /** `none`: it runs no command. `copy`: its commands run on a copy of the workspace that is thrown away. */
  readonly commands?: 'none' | 'copy'
}

/** Where a definition was read from. */
export interface AgentSource {
  readonly path: string
  readonly dialect: string
  readonly line?: number
}

/** A named role: instructions, tools, model, limits. Data, never a process. */
export interface AgentDefinition {
  readonly name: string
  readonly description: string
  /** When to choose it, in a delegator's prompt. The description stands in when it is absent. */
  readonly useFor?: string
  readonly type?: string
  readonly prompt: string
  readonly tools: ToolSelection
  readonly disallowedTools?: readonly string[]
  readonly permissions?: readonly PermissionRule[]
  readonly boundary?: Boundary
  /** Absent: an entry session may delegate to everyone, a delegated one to nobody. */
  readonly delegates?: DelegateSelection
  /** In order of preference. Empty or absent: the parent's model, or the default. */
  readonly models?: readonly string[]
  readonly limits?: AgentLimits
  /** Headings its report must contain. */
  readonly requiredSections?: readonly string[]
  readonly handoffs?: readonly Handoff[]
  readonly isolation?: 'shared' | 'workspace'
  /** Whoever delegates to it never waits: its result follows when the caller's turn ends. */
  readonly background?: boolean
  /** As its file has them; read by whoever runs hooks. */
  readonly hooks?: Json
  /** As its file has them; read by whoever connects to them. */
  readonly mcpServers?: Json
  /** A person may start it. Default true. */
  readonly userInvocable?: boolean
  /** Another agent may start it. Default true. */
  readonly modelInvocable?: boolean
  readonly source?: AgentSource
  /** Keys of the file this version does not know, kept for writing back. */
  readonly unknown?: { readonly [key: string]: Json }
}
