import {
  type CadreEvent,
  type Controls,
  combineHandlers,
  createOrchestrator,
  type Engine,
  type LifecycleHandler,
  type Models,
  type Orchestrator,
  type Ports,
  type Work,
  type Workspaces,
} from '@cadre/core'
import { currentUser, systemClock } from '@cadre/disk'
import { sessionIds, teamRules } from '@cadre/home'
import type { Telemetry } from '@cadre/telemetry'
import {
  type Checkouts,
  type Checkpoints,
  createCheckoutsHandler,
  createCheckpointsHandler,
  createWorkspaces,
  createWorkspacesHandler,
  openCheckpoints,
  withCheckoutPaths,
  withCheckoutResults,
  withCheckouts,
  withCheckpoints,
  withoutCheckouts,
} from '@cadre/workspaces'
import type { RunParts } from './run-parts.ts'

export interface OrchestrateOptions {
  readonly engine: Engine
  readonly emit: (event: CadreEvent) => void
  /** The restrictions of every tree that is started. */
  readonly controls?: Controls | undefined
  /** Whether a failed workspace operation is retried until it succeeds. */
  readonly shouldRetry?: ((error: unknown) => boolean) | undefined
  /** Gives each new run its trace. */
  readonly telemetry?: Pick<Telemetry, 'newTrace'> | undefined
  /** Set if each tree works in its own checkout of a repository. */
  readonly checkouts?: Checkouts | undefined
  /** Default: those of the home. */
  readonly checkpoints?: Checkpoints | undefined
  /** Default: those of the parts. */
  readonly models?: Models
  /**
   * Set to explain decisions without running hooks. Receives the names of the hooks that would run for a call.
   */
  readonly listHooks?: (names: readonly string[]) => void
  /** Replaces git worktrees and checkpoints, for sessions that change nothing. */
  readonly workspaces?: Workspaces
  /** When to summarise older rounds. Default: when a request would fill most of the context window. */
  readonly prepareContext?: Ports['prepareContext']
}

/** Creates an orchestrator from the parts of a run. Runs and explanations both use it, so that they apply the same rules. */
export function orchestrate(parts: RunParts, options: OrchestrateOptions): Orchestrator {
  const { engine, emit, controls, models, checkouts } = options
  const { enforced, policy, guard, knowledge } = parts
  const { rules, answerers } = options.listHooks === undefined ? guard : guard.withoutHooks(options.listHooks)
  const kept = options.workspaces === undefined ? keptWorkspaces(parts, options) : undefined
  const workspaces = options.workspaces ?? kept?.workspaces
  // After the hooks, so that their changes count as part of the call.
  const onLifecycleEvent = combineHandlers([
    ...(guard.onLifecycleEvent ? [guard.onLifecycleEvent] : []),
    ...(knowledge ? [knowledge.onLifecycleEvent] : []),
    ...(kept?.onLifecycleEvent ?? []),
  ])
  const orchestrator = createOrchestrator(
    {
      engine: checkouts === undefined ? engine : withCheckoutPaths(engine, checkouts.paths),
      models: models ?? parts.models,
      agents: parts.agents,
      tools: parts.tools,
      rules: [...enforced.rules, ...teamRules(parts.teams), ...rules],
      ...(answerers.length > 0 && { answerers }),
      ...(guard.requireApprovals && { requireApprovals: guard.requireApprovals }),
      reviewers: guard.reviewers,
      onLifecycleEvent,
      ...(knowledge && { inform: knowledge.inform }),
      ...(workspaces && { workspaces }),
      ...(options.prepareContext && { prepareContext: options.prepareContext }),
      teams: parts.teams,
      ...(parts.ledger && { ledger: parts.ledger }),
      locate: (path, workspace) => guard.places.locate(path, workspace),
      refuse: enforced.refuse,
      clock: systemClock,
      ids: sessionIds,
      emit,
    },
    { limits: parts.wanted, ceilings: enforced.ceilings },
  )
  const placed =
    checkouts === undefined
      ? withoutCheckouts(orchestrator, parts.home)
      : withCheckouts(orchestrator, checkouts, engine)
  return withStartOptions(placed, options.telemetry, {
    // Does not offer delegation if the policy would refuse it.
    ...(!policy.subagents && { delegation: false }),
    ...(controls && { controls }),
  })
}

/** Git worktrees for sessions, and checkpoints of shared workspaces. */
function keptWorkspaces(
  { home }: RunParts,
  { shouldRetry, checkouts, checkpoints = openCheckpoints({ home }) }: OrchestrateOptions,
): { readonly workspaces: Workspaces; readonly onLifecycleEvent: readonly LifecycleHandler[] } {
  const workspaces = createWorkspaces({ home, ...(shouldRetry && { shouldRetry }) })
  const kept = withCheckpoints(workspaces, checkpoints)
  return {
    workspaces: checkouts === undefined ? kept : withCheckoutResults(kept, checkouts),
    onLifecycleEvent: [
      createCheckpointsHandler(checkpoints),
      createWorkspacesHandler(workspaces),
      // Last, so that it stores what the others have committed.
      ...(checkouts === undefined ? [] : [createCheckoutsHandler(checkouts)]),
    ],
  }
}

/** Adds these options to every start and explanation. */
function withStartOptions(
  orchestrator: Orchestrator,
  telemetry: Pick<Telemetry, 'newTrace'> | undefined,
  what: { readonly delegation?: false; readonly controls?: Controls },
): Orchestrator {
  return {
    ...orchestrator,
    start: (request, signal) =>
      orchestrator.start(
        {
          startedBy: currentUser(),
          ...(telemetry && { trace: telemetry.newTrace() }),
          ...request,
          ...what,
        },
        signal,
      ),
    resume: (id, { work, ...rest }, signal) =>
      orchestrator.resume(id, { ...rest, ...(work !== undefined && { work: withPerson(work) }) }, signal),
    tell: (session, work) => orchestrator.tell(session, withPerson(work)),
    explain: (request, signal) => orchestrator.explain({ ...request, ...what }, signal),
  }
}

/** Work without a sender comes from the person who runs this process, unless a surface names somebody else. */
function withPerson(given: Work | string): Work {
  const work = typeof given === 'string' ? { content: given } : given
  return work.from === undefined && work.by === undefined ? { ...work, by: [currentUser()] } : work
}
