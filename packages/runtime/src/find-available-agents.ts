import type { AgentRegistry, EditorSettings } from '@cadre/agents'
import { type AgentDefinition, CadreError } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { type Config, enforcePolicy } from '@cadre/home'
import { assistant } from './assistant.ts'
import { entryAgent } from './entry-agent.ts'
import type { Environment } from './environment.ts'
import { untrustedItems } from './home-trust.ts'
import { loadRunAgents } from './load-run-agents.ts'
import { loadSettings } from './load-settings.ts'
import { loadPolicyForDisplay, policyNotices, withSettings } from './policy-of-run.ts'
import { agentPaths, homeOf } from './user-paths.ts'

export interface AvailableAgents {
  readonly registry: AgentRegistry
  /** The default agent of a run. Absent if it is not one of these agents. */
  readonly entry?: string
  /** Returns the reason why a policy disables an agent. */
  refusal(agent: AgentDefinition): string | undefined
  readonly notices: readonly string[]
  readonly config: Config
}

/** The agents that are available here, including those of a requested or configured team, and how a run would use them. */
export async function findAvailableAgents(
  io: Environment,
  flags: {
    readonly home?: string
    readonly team?: string
    /** Settings of the editor, used instead of `.vscode/settings.json`. */
    readonly settings?: EditorSettings | undefined
  },
): Promise<AvailableAgents> {
  const home = homeOf(io, flags.home)
  const homeTrusted = (await untrustedItems(io, home)).length === 0
  const settings = await loadSettings(io, home, { homeTrusted })
  const { policy: written, faults } = await loadPolicyForDisplay(io, home, homeTrusted)
  const policy = withSettings(written, settings)
  const { config } = settings
  const places = { ...agentPaths(io, home, io.cwd), settings: flags.settings }
  // Commands that only list agents show disabled ones too.
  const looking = { customAgents: true, decidedBy: policy.decidedBy }
  const { agents, entry, notices } = loadRunAgents({ ...flags, config, places, policy: looking })
  const enforced = enforcePolicy(policy, { builtIns: [assistant.name] })
  const refusal = (agent: AgentDefinition) =>
    enforced.refuse({ agent } as Parameters<typeof enforced.refuse>[0])?.message
  const starts = startingAgent(agents, entry, refusal)
  return {
    registry: agents,
    ...(starts !== undefined && { entry: starts }),
    refusal,
    notices: [...faults, ...[...policyNotices(policy, {}), ...notices].map(({ message }) => message)],
    config,
  }
}

function startingAgent(
  registry: AgentRegistry,
  entry: string | undefined,
  refusal: AvailableAgents['refusal'],
): string | undefined {
  const loaded = registry.loaded()
  try {
    return entryAgent({
      agents: loaded.agents.filter((agent) => refusal(agent) === undefined),
      configured: entry ?? loaded.entry,
      faults: loaded.diagnostics.filter(({ severity }) => severity === 'error').map(showDiagnostic),
    }).name
  } catch (error) {
    if (error instanceof CadreError) return undefined
    throw error
  }
}
