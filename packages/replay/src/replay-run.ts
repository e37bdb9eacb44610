import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type AgentDefinition, CadreError, type Notice, type Orchestrator } from '@cadre/core'
import { realPathOf, secretValues } from '@cadre/disk'
import { defaultTeamMessages, openHome, openTeams, restrictModels, sessionIds } from '@cadre/home'
import {
  chooseAgent,
  type Environment,
  loadParts,
  orchestrate,
  type RunParts,
  resolveWorkspace,
  userPaths,
} from '@cadre/runtime'
import { agentsAbove, compareRuns, type ReplayedSession } from './compare-runs.ts'
import { createFixture } from './create-fixture.ts'
import type { Difference } from './difference.ts'
import type { Fixture } from './fixture.ts'
import type { LiveSession } from './live-session.ts'
import type { Places } from './placeholders.ts'
import { replayContext } from './replay-context.ts'
import { createReplayEngine, storedOf } from './replay-engine.ts'
import { replayEvidence } from './replay-evidence.ts'
import { replayModels } from './replay-models.ts'
import { ReplayScheduler } from './replay-scheduler.ts'
import { replayTeams } from './replay-teams.ts'
import { replayTools } from './replay-tools.ts'
import { replayWorkspaces } from './replay-workspaces.ts'

export interface ReplayOptions {
  readonly home?: string | undefined
  /** The folder that the agents would change. Default: the current folder. */
  readonly workspace?: string | undefined
  readonly trust?: boolean | undefined
  /** False if hooks must not run. */
  readonly hooks?: boolean | undefined
}

export interface Replayed {
  readonly differences: readonly Difference[]
  readonly sessions: number
  readonly calls: number
  /** The run as it is now, which can replace the fixture. */
  readonly fixture: Fixture
  /** Messages to the user about the folder, as before a run. */
  readonly notices: readonly Notice[]
}

/**
 * Replays a recorded tree offline, with the agents, hooks and policies in this folder. The recording provides the answers from models, tools and
 * people. Only hooks run, and only a temporary folder is written to.
 */
export async function replayRun(
  io: Environment,
  fixture: Fixture,
  options: ReplayOptions,
  signal: AbortSignal,
): Promise<Replayed> {
  const { run } = fixture
  const workspace = resolveWorkspace(io, options.workspace)
  let stage: ReplayScheduler | undefined
  const parts = await loadParts(io, {
    home: options.home,
    workspace,
    trust: options.trust,
    team: run.team,
    targets: run.targets,
    allow: run.allow,
    noHuman: run.noHuman,
    runsHooks: options.hooks,
    evidence: replayEvidence(() => stage as ReplayScheduler),
    tell: io.warn,
  })
  // Until Cadre knows whether there is a sandbox, it evaluates commands as if there were none.
  await parts.guard.sandbox
  const folder = mkdtempSync(path.join(realPathOf(tmpdir()), 'cadre-replay-'))
  try {
    const userHome = userPaths(io.env).home
    stage = new ReplayScheduler({ fixture, places: { home: parts.home.path, userHome } })
    const orchestrator = orchestratorOf(parts, { stage, fixture, folder, io })
    const agent = agentOf(parts, fixture)
    if (agent instanceof CadreError) return unstarted(fixture, agent, parts)
    const root = sessionIds.session(agent.name)
    stage.direct(orchestrator, root)
    await perform(orchestrator, stage, { fixture, agent, root, workspace }, signal)
    const places = { home: parts.home.path, userHome, workspaces: [workspace] }
    return { ...resultOf(stage, fixture, { io, places }), notices: parts.notices }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await parts.models.close?.()
  }
}

/**
 * High enough for every session to run at the same time. The order in which sessions get a slot is not compared, and a session without a
 * slot could block another one that waits for it.
 */
const maxConcurrent = 100_000

function orchestratorOf(
  parts: RunParts,
  given: {
    readonly stage: ReplayScheduler
    readonly fixture: Fixture
    readonly folder: string
    readonly io: Environment
  },
): Orchestrator {
  const { stage, fixture, folder, io } = given
  const { limits = parts.wanted, controls, model } = fixture.run
  const plain = fixture.sessions.find(({ parent }, index) => index > 0 && parent === undefined)
  const home = openHome({ home: path.join(folder, 'home'), cwd: folder, env: io.env })
  const maxMessages = parts.config.limits?.teamMessages ?? defaultTeamMessages
  const teams = openTeams(home, { maxMessages })
  const workspaces = path.join(folder, 'workspaces')
  mkdirSync(workspaces)
  const { concurrency: _concurrency, ...ceilings } = parts.enforced.ceilings
  return orchestrate(
    {
      ...parts,
      tools: replayTools(stage, parts.tools, teams),
      teams: replayTeams(stage, teams),
      // A replay spends nothing.
      ledger: undefined,
      wanted: { ...limits, concurrency: maxConcurrent },
      enforced: { ...parts.enforced, ceilings },
    },
    {
      engine: createReplayEngine(stage),
      emit: () => {},
      controls,
      models: restrictModels(replayModels(stage, plain?.model ?? model), parts.policy),
      workspaces: replayWorkspaces(stage, workspaces),
      prepareContext: replayContext(stage),
    },
  )
}

function agentOf(parts: RunParts, { run }: Fixture): AgentDefinition | CadreError {
  try {
    return chooseAgent({ agents: parts.registry, entry: parts.entry }, run.agent)
  } catch (error) {
    if (error instanceof CadreError) return error
    throw error
  }
}

/** The entry agent can no longer start, which is the only difference. */
function unstarted(fixture: Fixture, { message }: CadreError, { notices }: RunParts): Replayed {
  const agents = agentsAbove(fixture, 1)
  const difference: Difference = {
    kind: 'session',
    session: 1,
    agents,
    round: 0,
    before: 'started',
    after: `not started: ${message}`,
  }
  return { differences: [difference], sessions: 0, calls: 0, fixture, notices }
}

interface Performance {
  readonly fixture: Fixture
  readonly agent: AgentDefinition
  readonly root: string
  readonly workspace: string
}

async function perform(
  orchestrator: Orchestrator,
  stage: ReplayScheduler,
  { fixture, agent, root, workspace }: Performance,
  signal: AbortSignal,
): Promise<void> {
  const { run, sessions } = fixture
  const text = (value: string) => stage.workspaceText(workspace, value)
  const { isolation } = sessions[0] ?? {}
  await orchestrator.start(
    {
      id: root,
      agent,
      workspace,
      model: run.model,
      work: { ...run.work, content: text(run.work.content) },
      delegation: run.delegation,
      ...(run.history && {
        history: run.history.map(({ role, content }) => ({ role, content: text(content) })),
      }),
      ...(run.outputSchema && { outputSchema: run.outputSchema }),
      ...(isolation && agent.isolation === undefined && { parallel: true }),
    },
    signal,
  )
  // Later turns: first those of the entry session, then those of other sessions that a person continued.
  const live = [...stage.sessions].filter(({ spec }) => spec.team === undefined)
  for (const session of live) await continueTurns(orchestrator, stage, session, signal)
}

async function continueTurns(
  orchestrator: Orchestrator,
  stage: ReplayScheduler,
  live: LiveSession,
  signal: AbortSignal,
): Promise<void> {
  const { lane, spec } = live
  while (!signal.aborted) {
    const { turns, rounds } = live
    const compaction = lane.compactions[live.compactions]
    if (compaction?.byPerson && compaction.round === rounds) {
      const before = live.compactions
      await orchestrator.compact(spec.id, signal)
      live.compactions = before + 1
      continue
    }
    const message = stage.wakingMessage(live)
    if (message !== undefined) {
      live.sent += 1
      await orchestrator.resume(spec.id, { work: stage.work(live, message.work) }, signal)
    } else if (
      rounds < lane.replies.length &&
      lane.ends[turns - 1]?.report.notices?.at(-1)?.code === 'max_rounds'
    ) {
      await orchestrator.resume(spec.id, { maxRounds: lane.replies.length + 1 }, signal)
    } else return
    // The session did not continue. The comparison reports this difference.
    if (live.turns === turns) return
  }
}

function resultOf(
  stage: ReplayScheduler,
  fixture: Fixture,
  { io, places }: { readonly io: Environment; readonly places: Places },
): Omit<Replayed, 'notices'> {
  const all = [...stage.sessions].sort((a, b) => (a.number ?? Infinity) - (b.number ?? Infinity))
  const stored = all.flatMap((live) => storedOf(live) ?? [])
  const secrets = secretValues(io.env)
  const recorded = fixture.recorded
  const { team, allow } = fixture.run
  const started = { ...(team !== undefined && { team }), ...(allow && { allow }) }
  const request = { sessions: stored, places, secrets, recorded, started }
  // Uses the same numbers as the recording, so that texts can be compared.
  const compared = createFixture({ ...request, numbers: stage.numbers })
  const replayed = all.map((live, index): ReplayedSession => {
    const session = compared.sessions[index]
    if (session === undefined) throw new Error('unreachable: every session is in the fixture')
    return {
      number: live.number ?? 0,
      agents: live.spec.chain,
      session,
      isBeyond: live.isBeyond === true,
    }
  })
  return {
    differences: compareRuns(fixture, replayed),
    sessions: all.length,
    calls: all.reduce((sum, { settled }) => sum + settled, 0),
    fixture: { ...createFixture(request), recorded: new Date().toISOString() },
  }
}
