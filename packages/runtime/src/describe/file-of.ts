import type { AgentFile } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'

/** Returns the file of an agent. Settings define several agents in one file. */
export function fileOf(
  { name, source }: AgentDefinition,
  files: readonly AgentFile[],
): AgentFile | undefined {
  return files.find(
    ({ path, agent, shadowedBy }) => path === source?.path && agent === name && shadowedBy === undefined,
  )
}
