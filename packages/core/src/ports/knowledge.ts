import type { AgentDefinition } from './agent.ts'
import type { Notice } from './report.ts'

/** A part of a system prompt, and where it comes from. */
export interface PromptPart {
  /** A file, as `path` or `path:line`, or a few words: `Cadre: date and operating system`. */
  readonly from: string
  readonly text: string
}

export interface KnowledgeRequest {
  readonly agent: AgentDefinition
  /** The folder that the session may change. */
  readonly workspace: string
  /** The tools that the session is offered, by their own names. */
  readonly tools: ReadonlySet<string>
}

export interface Knowledge {
  /** In the order in which they are sent, after the agent's prompt. */
  readonly parts: readonly PromptPart[]
  /** Messages to the user, such as a file that was cut. */
  readonly notices?: readonly Notice[]
}

/** Collects what a session knows. Must not throw. */
export type CollectKnowledge = (request: KnowledgeRequest) => Knowledge | Promise<Knowledge>
