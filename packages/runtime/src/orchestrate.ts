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
import {
  attendCheckpoints,
  attendWorkspaces,
  type Checkpoints,
  createWorkspaces,
  openCheckpoints,
  withCheckpoints,
} from '@cadre/workspaces'
import type { RunParts } from './load-parts.ts'

export interface OrchestrateOptions {
  readonly engine: Engine
  readonly emit: (event: CadreEvent) => void
  /** The restrictions of every tree that is started. */
  readonly controls?: Controls | undefined
  /** Whether a failed workspace operation is retried until it succeeds. */
  readonly endures?: ((error: unknown) => boolean) | undefined
  /** Default: those of the home. */
  readonly checkpoints?: Checkpoints | undefined
  /** Default: those of the parts. */
  readonly models?: Models
  /**
   * Set to explain decisions without running hooks. Receives the names of the hooks that would run for a call.
   */
  readonly listHooks?: (names: readonly string[]) => void
}

/** Creates an orchestrator from the parts of a run. Runs and explanations both use it, so that they apply the same rules. */
export function orchestrate(parts: RunParts, options: OrchestrateOptions): Orchestrator {
  const { engine, emit, controls, models, endures } = options
  const { enforced, policy, guard, knowledge } = parts
  const { rules, answerers } = options.listHooks === undefined ? guard : guard.withoutHooks(options.listHooks)
  const workspaces = createWorkspaces({ home: parts.home, ...(endures && { endures }) })
  const { checkpoints = openCheckpoints({ home: parts.home }) } = options
  // After the hooks, so that their changes count as part of the call.
  const attend = attendAll([
    ...(guard.attend ? [guard.attend] : []),
    ...(knowledge ? [knowledge.attend] : []),
    attendCheckpoints(checkpoints),
    attendWorkspaces(workspaces),
  ])
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
      ...(knowledge && { inform: knowledge.inform }),
      workspaces: withCheckpoints(workspaces, checkpoints),
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
    // Does not offer delegation if the policy would refuse it.
    ...(!policy.subagents && { delegation: false }),
    ...(controls && { controls }),
  })
}

/** Adds these options to every start and explanation. */
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
