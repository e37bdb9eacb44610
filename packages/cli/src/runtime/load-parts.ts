import {
  type Agents,
  defaultLimits,
  type Models,
  type Notice,
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
  type Home,
  type LoadedPolicy,
  systemClock,
} from '@cadre/files'
import type { Io } from '../io.ts'
import { agentsOfRun } from './agents-of-run.ts'
import { assistant } from './assistant.ts'
import type { GateFlags } from './gate-flags.ts'
import { policyNotices, requirePolicy, withSettings } from './load-policy.ts'
import { limitsOf, loadSettings, type Settings } from './load-settings.ts'
import { loadTools } from './load-tools.ts'
import { agentPlaces, homeOf } from './places.ts'

export interface PartsOptions extends GateFlags {
  readonly home?: string | undefined
  /** The folder the agents may change: agents of its project take part. The current one when absent. */
  readonly workspace?: string | undefined
  /** The built-in team whose agents take part: `NAME` or `NAME/VARIANT`. */
  readonly team?: string | undefined
  /** The agent to start or to ask about, where one was named: a built-in one brings its team with it. */
  readonly agent?: string | undefined
  /** Of a resumed run: whom its entry session may delegate to. */
  readonly targets?: readonly string[] | undefined
  readonly model?: string | undefined
  readonly depth?: number | undefined
  readonly concurrency?: number | undefined
  readonly maxTurns?: number | undefined
  readonly trust?: boolean | undefined
}

/** What a run is made of. */
export interface Parts {
  readonly home: Home
  /** What is permitted, the settings of the user included. */
  readonly policy: LoadedPolicy
  readonly enforced: Enforcement
  /** Everything that was read, with what is wrong with it. */
  readonly registry: AgentRegistry
  /** The agents that can be offered. */
  readonly agents: Agents
  /** The agent that starts when nobody is named. */
  readonly entry?: string
  readonly tools: readonly Tool[]
  readonly models: Models
  /** What the limits are, and what they were asked to be. */
  readonly limits: RunLimits
  readonly wanted: Partial<RunLimits>
  /** `--model`. */
  readonly model?: string
  /** Who chose the default model. */
  readonly modelFrom: string
  /** What a person should know. */
  readonly notices: readonly Notice[]
}

/**
 * Reads what a run is made of: the one place that puts it together. Nothing is started and nothing is written. `confirm` may
 * give other settings, after a person has agreed to what needs their trust. Rejects where a run would.
 */
export async function loadParts(
  io: Io,
  options: PartsOptions,
  confirm: (settings: Settings, home: Home) => Promise<Settings> = async (settings) => settings,
): Promise<Parts> {
  // Asked for first, so that they are read from disk while the rest is.
  const backends = import('@cadre/backends')
  const home = homeOf(io, options.home)
  const written = await requirePolicy(io, home)
  const settings = await confirm(await loadSettings(io, home, options.trust === true), home)
  const { config, needsTrust } = settings
  const { tools, notices: ofTools } = await loadTools(home, settings)
  const policy = withSettings(written, settings)
  // `plain` stands in for an agent that could not start.
  const enforced = enforcePolicy(policy, { builtIns: [assistant.name, 'plain'] })
  const places = agentPlaces(io, home, options.workspace ?? io.cwd)
  const { agents, entry, notices: ofTeam } = agentsOfRun({ ...options, config, places, policy })
  const wanted = limitsOf(config, options)
  const { createModels } = await backends
  const { model } = options
  const models = createModels({
    config,
    env: io.env,
    cwd: io.cwd,
    clock: systemClock,
    ...(model !== undefined && { model }),
  })
  const untrusted = needsTrust.map(({ reason }) => ({ code: 'untrusted', message: reason }))
  return {
    home,
    policy,
    enforced,
    registry: agents,
    agents: enforced.permitted(agents),
    ...(entry !== undefined && { entry }),
    tools,
    models: allowOnly(models, policy),
    limits: withinCeilings({ ...defaultLimits, ...wanted }, enforced.ceilings),
    wanted,
    ...(model !== undefined && { model }),
    modelFrom: modelFrom(io, config, model),
    notices: [...policyNotices(policy, wanted), ...untrusted, ...ofTools, ...ofTeam],
  }
}

function modelFrom(io: Io, config: Config, model: string | undefined): string {
  if (model) return '--model'
  if (io.env['CADRE_MODEL']) return 'CADRE_MODEL'
  return config.model ? 'model of the configuration' : 'default'
}
