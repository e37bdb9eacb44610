import { type CadreEvent, createOrchestrator, type Notice, type Orchestrator } from '@cadre/core'
import {
  type AgentRegistry,
  createAgents,
  type Home,
  openHome,
  sessionIds,
  systemClock,
  watchRequests,
} from '@cadre/files'
import type { Io } from '../io.ts'
import type { AskPerson } from '../run/ask-person.ts'
import type { ConfirmTrust } from '../run/confirm-trust.ts'
import { defaultEffects } from './default-effects.ts'
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
  readonly agents: AgentRegistry
  readonly settings: Settings
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
  const settings = await confirmed(await loadSettings(io, home, options.trust === true), options, home)
  const { config, needsTrust } = settings
  const { tools, notices } = await loadTools(home, settings)
  const agents = createAgents({
    home: home.path,
    project: projectOf(workspace),
    userHome: userPlaces(io.env).home,
  })
  const engine = await openEngine(home, options.tell, options.ask)
  const { createModels } = await backends
  const orchestrator = createOrchestrator(
    {
      engine,
      models: createModels({
        config,
        env: io.env,
        cwd: io.cwd,
        clock: systemClock,
        ...(options.model !== undefined && { model: options.model }),
      }),
      agents,
      tools,
      rules: [defaultEffects],
      clock: systemClock,
      ids: sessionIds,
      emit,
    },
    { limits: limitsOf(config, options) },
  )
  const untrusted = needsTrust.map(({ reason }) => ({ code: 'untrusted', message: reason }))
  return {
    ...sessionsOf(home, engine),
    orchestrator,
    tell: options.tell,
    agents,
    settings,
    notices: [...untrusted, ...notices],
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
