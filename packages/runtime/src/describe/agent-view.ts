import type { Effect, PermissionRule, ToolClass } from '@cadre/core'

/** A tool that the agent gets. */
export interface ToolView {
  readonly name: string
  readonly class: ToolClass
  readonly effect: Effect
  /** The names in its file that grant this tool; empty if it has all tools. */
  readonly named: readonly string[]
  readonly from: string
}

/** A name in its file that grants nothing here. */
export interface MissingTool {
  readonly name: string
  /** `delegated`: available if another agent starts it. */
  readonly reason: 'unknown' | 'elsewhere' | 'server' | 'not-here' | 'delegated'
  readonly from: string
}

export interface RefusedTool {
  readonly name: string
  /** The name in `disallowedTools` that denies it. */
  readonly by: string
  readonly from: string
}

export interface RuleView extends PermissionRule {
  /** The tools it applies to, of those the agent has. */
  readonly tools: readonly string[]
  readonly from: string
}

export interface BoundaryView {
  readonly writes: Sourced<'none' | 'artifact' | 'free'>
  readonly commands: Sourced<'none' | 'copy' | 'free'>
  /** The one file that it may write despite its boundary. */
  readonly artifact?: string
}

export interface TargetsView {
  /** If a person starts it. */
  readonly entry: readonly string[]
  /** If another agent starts it. */
  readonly delegated: readonly string[]
  /** Agents that it cannot start, with reasons: first those it names, then all others. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
  readonly from: string
}

export interface ModelView {
  readonly preferences: readonly string[]
  /** The model that a session would use; absent if it could not start. */
  readonly used?: string
  /** The requested model, if it is not available and the default model is used. */
  readonly insteadOf?: string
  /** Why the session could not start. */
  readonly problem?: string
  /** What the user should know about the model, such as what Cadre does not control. */
  readonly warning?: string
  readonly from: string
}

export interface LimitView {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly from: string
}

/** A value and its source. */
export interface Sourced<T> {
  readonly value: T
  readonly from: string
}

/** The effective permissions of an agent. `from` is `path:line`, or a word such as `default`. */
export interface AgentView {
  readonly name: string
  readonly description: string
  readonly source: { readonly path: string; readonly dialect: string; readonly line?: number }
  readonly status: string
  readonly shadows: readonly string[]
  /** Why a policy prevents it from being started. */
  readonly refused?: string
  readonly userInvocable: Sourced<boolean>
  readonly modelInvocable: Sourced<boolean>
  readonly tools: readonly ToolView[]
  readonly disallowed: readonly RefusedTool[]
  readonly unavailable: readonly MissingTool[]
  readonly permissions: readonly RuleView[]
  /** Its boundary; `free` if its file sets none. */
  readonly boundary: BoundaryView
  readonly targets: TargetsView
  readonly model: ModelView
  readonly limits: readonly LimitView[]
  readonly isolation: Sourced<string>
  readonly background: Sourced<boolean>
  readonly requiredSections: Sourced<readonly string[]>
  readonly handoffs: readonly {
    readonly label: string
    readonly agent: string
    readonly send: boolean
    readonly exists: boolean
    readonly from: string
  }[]
  readonly hooks: Sourced<readonly string[]>
  readonly mcpServers: Sourced<readonly string[]>
  /** Unknown keys, which are kept. */
  readonly unknown: readonly Sourced<string>[]
  readonly diagnostics: readonly string[]
}
