import type { AgentFile } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'

/** What is known about the file an agent comes from. Settings define several agents in one file. */
export function fileOf(
  { name, source }: AgentDefinition,
  files: readonly AgentFile[],
): AgentFile | undefined {
  return files.find(
    ({ path, agent, shadowedBy }) => path === source?.path && agent === name && shadowedBy === undefined,
  )
}
