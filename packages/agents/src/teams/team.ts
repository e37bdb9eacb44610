import type { AgentDefinition } from '@cadre/core'
import type { Effects } from '@cadre/home'

/** Agents that are ready to use together. */
export interface Team {
  readonly name: string
  /** One sentence, for lists. */
  readonly description: string
  /** The agent a run starts with. */
  readonly entry: string
  /** The form that was loaded; the first of `variants` where none was asked for. */
  readonly variant: string
  /** It comes with hooks that hold other programs to its roles. */
  readonly hooks: boolean
  /** Its agents; their source is `built-in:<team>/<agent>`, and the dialect `built-in`. */
  readonly agents: readonly AgentDefinition[]
  /** All forms of the same team, by name, the one that is used by default first. */
  readonly variants: readonly string[]
  /** What it ships with, below every policy. */
  readonly effects?: Partial<Effects>
}

/** A team as it is listed, without its agents having been read. */
export interface TeamSummary {
  readonly name: string
  readonly description: string
  readonly entry: string
  /** A sample request, for users who try the team for the first time. */
  readonly example: string
  /** The one that is used by default first. */
  readonly variants: readonly TeamVariant[]
}

export interface TeamVariant {
  readonly name: string
  readonly description: string
}
