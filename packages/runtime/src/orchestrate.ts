import {
  attendAll,
  type CadreEvent,
  type Controls,
  createOrchestrator,
  type Engine,
  type Models,
  type Orchestrator,
} from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { sessionIds, teamRules } from '@cadre/home'
import { attendWorkspaces, createWorkspaces } from '@cadre/workspaces'
import type { RunParts } from './load-parts.ts'

export interface OrchestrateOptions {
  readonly engine: Engine
  readonly emit: (event: CadreEvent) => void
  /** What holds for every tree that is started. */
  readonly controls?: Controls | undefined
  /** Whether a failed workspace operation is retried until it succeeds. */
  readonly endures?: ((error: unknown) => boolean) | undefined
  /** Absent: those of the parts. */
  readonly models?: Models
  /**
   * Set by whoever only wants to know what would be decided: no hook is run, and this gets the names of those that would be
   * asked about a call.
   */
  readonly listHooks?: (names: readonly string[]) => void
}

/** The one place that gives the parts of a run to the engine: what is explained is judged by what a run is judged by. */
export function orchestrate(parts: RunParts, options: OrchestrateOptions): Orchestrator {
  const { engine, emit, controls, models, endures } = options
  const { enforced, policy, guard } = parts
  const { rules, answerers } = options.listHooks === undefined ? guard : guard.withoutHooks(options.listHooks)
  const workspaces = createWorkspaces({ home: parts.home, ...(endures && { endures }) })
  // After the hooks: what they change about what a call has changed belongs to it.
  const attend = attendAll([...(guard.attend ? [guard.attend] : []), attendWorkspaces(workspaces)])
  const orchestrator = createOrchestrator(
    {
      engine,
      models: models ?? parts.models,
      agents: parts.agents,
      tools: parts.tools,
      rules: [...enforced.rules, ...teamRules(parts.teams), ...rules],
      ...(answerers.length > 0 && { answerers }),
      reviewers: guard.reviewers,
      attend,
      workspaces,
      teams: parts.teams,
      locate: (path, workspace) => guard.places.locate(path, workspace),
      refuse: enforced.refuse,
      clock: systemClock,
      ids: sessionIds,
      emit,
    },
    { limits: parts.wanted, ceilings: enforced.ceilings },
  )
  return startingWith(orchestrator, {
    // Nobody is offered in the first place what would be refused anyway.
    ...(!policy.subagents && { delegation: false }),
    ...(controls && { controls }),
  })
}

/** Every tree of this process is started, and every call explained, with these. */
function startingWith(
  orchestrator: Orchestrator,
  what: { readonly delegation?: false; readonly controls?: Controls },
): Orchestrator {
  return {
    ...orchestrator,
    start: (request, signal) => orchestrator.start({ ...request, ...what }, signal),
    explain: (request, signal) => orchestrator.explain({ ...request, ...what }, signal),
  }
}
