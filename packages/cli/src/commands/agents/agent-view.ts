import type { Effect, PermissionRule, ToolClass } from '@cadre/core'

/** A tool the agent would be offered. */
export interface ToolView {
  readonly name: string
  readonly class: ToolClass
  readonly effect: Effect
  /** The names in its file that give it this tool; empty when it has all. */
  readonly named: readonly string[]
  readonly from: string
}

/** A name in its file that gives it nothing here. */
export interface MissingTool {
  readonly name: string
  /** `delegated`: it is there when another agent starts it. */
  readonly reason: 'unknown' | 'elsewhere' | 'server' | 'not-here' | 'delegated'
  readonly from: string
}

export interface RefusedTool {
  readonly name: string
  /** The name in `disallowedTools` that takes it away. */
  readonly by: string
  readonly from: string
}

export interface RuleView extends PermissionRule {
  /** The tools it is about, of those the agent has. */
  readonly tools: readonly string[]
  readonly from: string
}

export interface BoundaryView {
  readonly writes: Placed<'none' | 'artifact' | 'free'>
  readonly commands: Placed<'none' | 'copy' | 'free'>
  /** The one file it may write where it writes nothing else. */
  readonly artifact?: string
}

export interface TargetsView {
  /** When a person starts it. */
  readonly entry: readonly string[]
  /** When another agent starts it. */
  readonly delegated: readonly string[]
  /** Agents it cannot start, and why not: those it names, then the others there are. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
  readonly from: string
}

export interface ModelView {
  readonly preferences: readonly string[]
  /** What a session of it would run on; absent when it could not start. */
  readonly used?: string
  /** The model that the agent asks for, if it is not available and the default model is used. */
  readonly insteadOf?: string
  /** Why it could not. */
  readonly problem?: string
  readonly from: string
}

export interface LimitView {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly from: string
}

/** A single value, and the place it comes from. */
export interface Placed<T> {
  readonly value: T
  readonly from: string
}

/** What an agent may really do. `from` is `path:line`, or says what it is when nothing is written: `default`. */
export interface AgentView {
  readonly name: string
  readonly description: string
  readonly source: { readonly path: string; readonly dialect: string; readonly line?: number }
  readonly status: string
  readonly shadows: readonly string[]
  /** Why a policy keeps it from being started. */
  readonly refused?: string
  readonly userInvocable: Placed<boolean>
  readonly modelInvocable: Placed<boolean>
  readonly tools: readonly ToolView[]
  readonly disallowed: readonly RefusedTool[]
  readonly unavailable: readonly MissingTool[]
  readonly permissions: readonly RuleView[]
  /** How far its tools reach, whatever they are; `free` where its file says nothing. */
  readonly boundary: BoundaryView
  readonly targets: TargetsView
  readonly model: ModelView
  readonly limits: readonly LimitView[]
  readonly isolation: Placed<string>
  readonly background: Placed<boolean>
  readonly requiredSections: Placed<readonly string[]>
  readonly handoffs: readonly {
    readonly label: string
    readonly agent: string
    readonly send: boolean
    readonly exists: boolean
    readonly from: string
  }[]
  readonly hooks: Placed<readonly string[]>
  readonly mcpServers: Placed<readonly string[]>
  /** Keys that are kept and not understood. */
  readonly unknown: readonly Placed<string>[]
  readonly diagnostics: readonly string[]
}
