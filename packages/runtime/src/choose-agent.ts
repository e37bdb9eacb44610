import type { AgentDefinition } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { assistant } from './assistant.ts'
import type { Runtime } from './create-runtime.ts'
import { entryAgent } from './entry-agent.ts'

/** Returns the requested agent, or the entry agent. Throws if the agent does not exist or users may not start it. */
export function chooseAgent(
  { agents, entry }: Pick<Runtime, 'agents'> & { readonly entry?: string | undefined },
  wanted?: string,
): AgentDefinition {
  const loaded = agents.loaded()
  return entryAgent({
    agents: loaded.agents,
    wanted,
    // Cadre's configuration takes precedence over the entry agent in the editor's settings.
    configured: entry ?? loaded.entry,
    faults: loaded.diagnostics.filter(({ severity }) => severity === 'error').map(showDiagnostic),
  })
}

/** The names of all agents, including those that users may not start, so that an error can give the reason. */
export function namesOf({ agents }: Pick<Runtime, 'agents'>): string[] {
  return [...agents.list(), assistant].map((agent) => agent.name)
}

/** If other files have more problems than this, only their number is shown. */
const maxReported = 3

/** Reports problems in agent files: all problems of this agent's file, and those of other files if there are few. */
export function reportAgentProblems({ agents, tell }: Runtime, agent: AgentDefinition): void {
  const { files, diagnostics } = agents.loaded()
  const faults = diagnostics.filter(({ severity }) => severity !== 'info')
  const own = faults.filter(({ path }) => path === agent.source?.path)
  const others = faults.filter((fault) => !own.includes(fault))
  for (const fault of own) tell(showDiagnostic(fault))
  if (others.length <= maxReported) {
    for (const fault of others) tell(showDiagnostic(fault))
    return
  }
  const paths = new Set(others.map(({ path }) => path)).size
  const failed = files.filter(({ status }) => status === 'failed').length
  const unusable = failed === 0 ? '' : `, and ${failed} of them cannot be loaded`
  tell(
    `${paths} agent file${paths === 1 ? ' has' : 's have'} problems${unusable}. Run "cadre lint" to list them.`,
  )
}
