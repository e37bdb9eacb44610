import type { AgentDefinition } from '@cadre/core'

/** Agents that are ready to use together. */
export interface Team {
  readonly name: string
  /** One sentence, for lists. */
  readonly description: string
  /** The agent a run starts with. */
  readonly entry: string
  /** Its agents; their source is `built-in:<team>/<agent>`, and the dialect `built-in`. */
  readonly agents: readonly AgentDefinition[]
  /** Other forms of the same team, by name: `minimal`, `strict`. */
  readonly variants: readonly string[]
}
