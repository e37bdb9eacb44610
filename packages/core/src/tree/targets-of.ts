import type { Tool } from '../ports/tool.ts'
import { readDelegation } from './delegation.ts'
import { readTeam } from './team-tools.ts'

/** The names of the agents that a call would start. */
export function targetsOf(tool: Tool, input: unknown): readonly string[] {
  if (tool.kind === 'delegate') return [readDelegation(tool, input).target]
  if (tool.kind === 'team') return readTeam(tool, input)?.members.map(({ agentType }) => agentType) ?? []
  return []
}
