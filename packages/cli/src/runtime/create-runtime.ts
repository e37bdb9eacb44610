import { type CadreEvent, createOrchestrator, type Models, type Notice, type Orchestrator } from '@cadre/core'
import {
  type AgentRegistry,
  allowOnly,
  enforcePolicy,
  type Home,
  openHome,
  type Policy,
  sessionIds,
  systemClock,
  type Team,
  watchRequests,
} from '@cadre/files'
import type { Io } from '../io.ts'
import type { AskPerson } from '../run/ask-person.ts'
import type { ConfirmTrust } from '../run/confirm-trust.ts'
import { agentsOfRun } from './agents-of-run.ts'
import { assistant } from './assistant.ts'
import { defaultEffects } from './default-effects.ts'
import { policyNotices, requirePolicy, withSettings } from './load-policy.ts'
import { limitsOf, loadSettings, type Settings } from './load-settings.ts'
import { loadTools } from './load-tools.ts'
import { openEngine } from './open-engine.ts'
import { type Sessions, sessionsOf } from './open-sessions.ts'
import { projectOf, userPlaces } from './places.ts'

export interface RuntimeOptions {
  readonly io: Io
  readonly home?: string | undefined
  /** The folder the agents may change. */
  readonly workspace: string
  /** The agent to start, where one was named: a built-in one brings its team with it. */
  readonly agent?: string | undefined
  /** Of a resumed run: whom its entry session may delegate to. */
  readonly targets?: readonly string[] | undefined
  /** The built-in team whose agents take part: `NAME` or `NAME/VARIANT`. */
  readonly team?: string | undefined
  readonly model?: string | undefined
  readonly depth?: number | undefined
  readonly concurrency?: number | undefined
  readonly maxTurns?: number | undefined
  readonly trust?: boolean | undefined
  readonly emit: (event: CadreEvent) => void
  /** Gets what a person should know about the files of the home, a sentence each. */
  readonly tell: (message: string) => void
  /** Absent when nobody is at the keyboard: questions then suspend the run. */
  readonly ask?: AskPerson | undefined
  /** Absent likewise: what is not trusted is then not used. */
  readonly confirmTrust?: ConfirmTrust | undefined
}

/** Everything a run needs, put together. Nothing on disk is changed before a session starts. */
export interface Runtime extends Sessions {
  readonly orchestrator: Orchestrator
  readonly models: Models
  readonly agents: AgentRegistry
  /** The built-in team whose agents are among them. */
  readonly team?: Team
  /** The agent that starts when nobody is named. */
  readonly entry?: string
  readonly settings: Settings
  /** What is permitted, the settings of the user included. */
  readonly policy: Policy
  tell(message: string): void
  /** What a person should know before it starts. */
  readonly notices: readonly Notice[]
  /** Carries out what other processes ask of the sessions that run here. The result ends it. */
  watchRequests(): () => void
}

/** The one place where engine, models, agents, tools and limits meet. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { io, workspace, emit } = options
  // Asked for first, so that they are read from disk while the rest is.
  const backends = import('@cadre/backends')
  const home = openHome({ cwd: io.cwd, env: io.env, ...(options.home && { home: options.home }) })
  const written = await requirePolicy(io, home)
  const settings = await confirmed(await loadSettings(io, home, options.trust === true), options, home)
  const { config, needsTrust } = settings
  const { tools, notices } = await loadTools(home, settings)
  const policy = withSettings(written, settings)
  // `plain` stands in for an agent that could not start.
  const enforced = enforcePolicy(policy, { builtIns: [assistant.name, 'plain'] })
  const places = policy.customAgents
    ? { home: home.path, project: projectOf(workspace), userHome: userPlaces(io.env).home }
    : {}
  const { agents, team, entry, notices: ofTeam } = agentsOfRun({ ...options, config, places })
  const limits = limitsOf(config, options)
  const engine = await openEngine(home, options.tell, options.ask)
  const { createModels } = await backends
  const models = allowOnly(
    createModels({
      config,
      env: io.env,
      cwd: io.cwd,
      clock: systemClock,
      ...(options.model !== undefined && { model: options.model }),
    }),
    policy,
  )
  const orchestrator = createOrchestrator(
    {
      engine,
      models,
      agents: enforced.permitted(agents),
      tools,
      rules: [...enforced.rules, defaultEffects],
      refuse: enforced.refuse,
      clock: systemClock,
      ids: sessionIds,
      emit,
    },
    { limits, ceilings: enforced.ceilings },
  )
  const untrusted = needsTrust.map(({ reason }) => ({ code: 'untrusted', message: reason }))
  return {
    ...sessionsOf(home, engine),
    orchestrator: policy.subagents ? orchestrator : withoutDelegation(orchestrator),
    models,
    tell: options.tell,
    agents,
    ...(team && { team }),
    ...(entry !== undefined && { entry }),
    settings,
    policy,
    notices: [...policyNotices(policy, limits), ...untrusted, ...notices, ...ofTeam],
    watchRequests() {
      const watch = watchRequests({
        home,
        since: performance.timeOrigin,
        cancel: (session) => orchestrator.cancel(session),
      })
      return () => watch.close()
    },
  }
}

/** Nobody is offered in the first place what would be refused anyway. */
function withoutDelegation(orchestrator: Orchestrator): Orchestrator {
  return {
    ...orchestrator,
    start: (request, signal) => orchestrator.start({ ...request, delegation: false }, signal),
  }
}

/** The settings as they are once a person has agreed to what needs their trust; unchanged when nobody can be asked. */
async function confirmed(
  settings: Settings,
  { io, confirmTrust }: RuntimeOptions,
  home: Home,
): Promise<Settings> {
  const { needsTrust, trust } = settings
  if (confirmTrust === undefined || needsTrust.length === 0 || !(await confirmTrust(needsTrust)))
    return settings
  trust.add(needsTrust)
  const agreed = await loadSettings(io, home, false)
  // Whoever agrees to use a module agrees to what is in it now.
  for (const module of agreed.config.tools ?? []) agreed.trust.addModule(module)
  return agreed
}
