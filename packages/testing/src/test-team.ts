import {
  type AgentDefinition,
  type Agents,
  type CadreEvent,
  type Clock,
  createOrchestrator,
  type Engine,
  type IdGenerator,
  type Orchestrator,
  type Ports,
  type Report,
  type RunLimits,
  type RunResult,
  type StartRequest,
  type Tool,
} from '@cadre/core'
import { createFakeClock } from './fake-clock.ts'
import { createMemoryEngine } from './memory-engine.ts'
import { type Line, type ScriptedModels, type ScriptedOptions, scriptedModels } from './scripted-models.ts'

export interface TestTeamOptions {
  readonly agents: readonly (Partial<AgentDefinition> & { readonly name: string })[]
  readonly lanes: Readonly<Record<string, readonly Line[]>>
  readonly tools?: readonly Tool[]
  readonly limits?: Partial<RunLimits>
  readonly ceilings?: Partial<RunLimits>
  readonly model?: ScriptedOptions
  readonly engine?: Engine
  readonly clock?: Clock
  readonly rules?: Ports['rules']
  readonly reviewers?: Ports['reviewers']
  readonly answerers?: Ports['answerers']
  readonly onLifecycleEvent?: Ports['onLifecycleEvent']
  readonly locate?: Ports['locate']
  readonly refuse?: Ports['refuse']
  readonly prepareContext?: Ports['prepareContext']
  readonly workspaces?: Ports['workspaces']
  readonly teams?: Ports['teams']
  readonly ledger?: Ports['ledger']
  /** Returns the agents that are currently available. */
  readonly agentsNow?: (all: Agents) => Agents
  readonly ids?: IdGenerator
}

export interface TestTeam {
  readonly orchestrator: Orchestrator
  readonly models: ScriptedModels
  readonly events: CadreEvent[]
  readonly engine: Engine
  run(request: Partial<StartRequest> & { agent: string }, signal?: AbortSignal): Promise<RunResult>
  /** Runs an agent and returns the report. Fails if the run waits for a person. */
  report(request: Partial<StartRequest> & { agent: string }, signal?: AbortSignal): Promise<Report>
}

/** A team on the scripted model. All ports are in memory by default. */
export function createTestTeam(options: TestTeamOptions): TestTeam {
  const clock = options.clock ?? createFakeClock()
  const engine = options.engine ?? createMemoryEngine({ clock })
  const models = scriptedModels(options.lanes, options.model)
  const events: CadreEvent[] = []
  const agents = agentsOf(options.agents.map(defineAgent))
  const orchestrator = createOrchestrator(
    {
      engine,
      models,
      agents: options.agentsNow?.(agents) ?? agents,
      tools: options.tools ?? [],
      clock,
      ids: options.ids ?? countingIds(),
      emit: (event) => events.push(event),
      ...(options.rules && { rules: options.rules }),
      ...(options.reviewers && { reviewers: options.reviewers }),
      ...(options.answerers && { answerers: options.answerers }),
      ...(options.onLifecycleEvent && { onLifecycleEvent: options.onLifecycleEvent }),
      ...(options.locate && { locate: options.locate }),
      ...(options.refuse && { refuse: options.refuse }),
      ...(options.prepareContext && { prepareContext: options.prepareContext }),
      ...(options.workspaces && { workspaces: options.workspaces }),
      ...(options.teams && { teams: options.teams }),
      ...(options.ledger && { ledger: options.ledger }),
    },
    {
      ...(options.limits && { limits: options.limits }),
      ...(options.ceilings && { ceilings: options.ceilings }),
    },
  )
  const run: TestTeam['run'] = (request, signal = new AbortController().signal) =>
    orchestrator.start({ work: 'do it', workspace: '/work', ...request }, signal)
  return {
    orchestrator,
    models,
    events,
    engine,
    run,
    async report(request, signal) {
      const result = await run(request, signal)
      if (result.kind === 'waiting')
        throw new Error(`waits for a person: ${JSON.stringify(result.questions)}`)
      return result.report
    },
  }
}

export function defineAgent(part: Partial<AgentDefinition> & { readonly name: string }): AgentDefinition {
  return { description: `The ${part.name}`, prompt: `You are ${part.name}.`, tools: { kind: 'all' }, ...part }
}

export function agentsOf(agents: readonly AgentDefinition[]): Agents {
  return { get: (name) => agents.find((agent) => agent.name === name), list: () => agents }
}

/** Numbered ids such as `lead-1` and `worker-2`, safe as file names for any agent name. */
export function countingIds(): IdGenerator {
  let count = 0
  return { session: (agent) => `${agent.replace(/[^\w-]+/g, '-')}-${++count}` }
}
