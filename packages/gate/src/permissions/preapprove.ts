import type { AgentDefinition } from '@cadre/core'
import type { ClaudeRule } from './claude-rule.ts'

/**
 * A key that no file can write and no journal keeps. So only this process can preapprove calls, and a session that another process
 * resumes asks for them again.
 */
const key: unique symbol = Symbol('preapproved')

type Marked = AgentDefinition & { readonly [key]?: readonly ClaudeRule[] }

/** The same agent, whose sessions need no approval for what these rules allow, as far as policies leave that open. */
export function withPreapprovedRules(agent: AgentDefinition, rules: readonly ClaudeRule[]): AgentDefinition {
  const marked: Marked = { ...agent, [key]: [...preapprovedRulesOf(agent), ...rules] }
  return marked
}

export function preapprovedRulesOf(agent: AgentDefinition): readonly ClaudeRule[] {
  return (agent as Marked)[key] ?? []
}
