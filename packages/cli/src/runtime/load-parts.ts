import {
  type Agents,
  defaultLimits,
  type Models,
  type RunLimits,
  type Tool,
  withinCeilings,
} from '@cadre/core'
import {
  type AgentRegistry,
  allowOnly,
  type Config,
  type Enforcement,
  enforcePolicy,
  type LoadedPolicy,
  openHome,
  systemClock,
} from '@cadre/files'
import type { Io } from '../io.ts'
import { agentsOfRun } from './agents-of-run.ts'
import { assistant } from './assistant.ts'
import { policyNotices, requirePolicy, withSettings } from './load-policy.ts'
import { limitsOf, loadSettings } from './load-settings.ts'
import { loadTools } from './load-tools.ts'
import { projectOf, userPlaces } from './places.ts'

export interface PartsOptions {
  readonly home?: string | undefined
  readonly team?: string | undefined
  /** The agent that is asked about: a built-in one brings its team with it. */
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly trust?: boolean | undefined
}

/** What a run started here would be made of. */
export interface Parts {
  readonly config: Config
  readonly policy: LoadedPolicy
  readonly enforced: Enforcement
  /** Everything that was read, with what is wrong with it. */
  readonly registry: AgentRegistry
  /** The agents that can be offered. */
  readonly agents: Agents
  readonly tools: readonly Tool[]
  readonly models: Models
  /** What the limits are, and what they were asked to be. */
  readonly limits: RunLimits
  readonly wanted: Partial<RunLimits>
  /** Who chose the default model. */
  readonly modelFrom: string
  /** What a person should know, a sentence each. */
  readonly notices: readonly string[]
}

/** As a run does it, without an engine: nothing is started and nothing is written. Rejects where a run would. */
export async function loadParts(io: Io, options: PartsOptions): Promise<Parts> {
  const home = openHome({ cwd: io.cwd, env: io.env, ...(options.home && { home: options.home }) })
  const written = await requirePolicy(io, home)
  const settings = await loadSettings(io, home, options.trust === true)
  const { config } = settings
  const policy = withSettings(written, settings)
  const enforced = enforcePolicy(policy, { builtIns: [assistant.name, 'plain'] })
  const places = policy.customAgents
    ? { home: home.path, project: projectOf(io.cwd), userHome: userPlaces(io.env).home }
    : {}
  const { agents, notices: ofTeam } = agentsOfRun({ ...options, config, places })
  const { tools, notices: ofTools } = await loadTools(home, settings)
  const wanted = limitsOf(config, {})
  const { createModels } = await import('@cadre/backends')
  const { model } = options
  const models = createModels({
    config,
    env: io.env,
    cwd: io.cwd,
    clock: systemClock,
    ...(model && { model }),
  })
  return {
    config,
    policy,
    enforced,
    registry: agents,
    agents: enforced.permitted(agents),
    tools,
    models: allowOnly(models, policy),
    limits: withinCeilings({ ...defaultLimits, ...wanted }, enforced.ceilings),
    wanted,
    modelFrom: modelFrom(io, config, model),
    notices: [...policyNotices(policy, wanted), ...ofTools, ...ofTeam].map(({ message }) => message),
  }
}

function modelFrom(io: Io, config: Config, model: string | undefined): string {
  if (model) return '--model'
  if (io.env['CADRE_MODEL']) return 'CADRE_MODEL'
  return config.model ? 'model of the configuration' : 'default'
}
