import type { AgentDefinition } from '@cadre/core'
import type { Effects } from '@cadre/home'

/** A set of agents that work together. */
export interface Team {
  readonly name: string
  /** One sentence, for lists. */
  readonly description: string
  /** The agent a run starts with. */
  readonly entry: string
  /** The loaded variant; the first of `variants` by default. */
  readonly variant: string
  /** It includes hooks that enforce its roles in other programs. */
  readonly hooks: boolean
  /** Its agents; their source is `built-in:<team>/<agent>`, and the dialect `built-in`. */
  readonly agents: readonly AgentDefinition[]
  /** All variants of the team; the default comes first. */
  readonly variants: readonly string[]
  /** The effects it allows, subject to every policy. */
  readonly effects?: Partial<Effects>
}

/** A team in a list, without its agents. */
export interface TeamSummary {
  readonly name: string
  readonly description: string
  readonly entry: string
  /** A sample request, for users who try the team for the first time. */
  readonly example: string
  /** The default comes first. */
  readonly variants: readonly TeamVariant[]
}

export interface TeamVariant {
  readonly name: string
  readonly description: string
}
