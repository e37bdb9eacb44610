import {
  type CadreEvent,
  createOrchestrator,
  type Models,
  type Notice,
  type Orchestrator,
  type StartRequest,
} from '@cadre/core'
import { type AgentRegistry, type Home, sessionIds, systemClock, watchRequests } from '@cadre/files'
import type { Io } from '../io.ts'
import type { AskPerson } from '../run/ask-person.ts'
import type { ConfirmTrust } from '../run/confirm-trust.ts'
import { defaultEffects } from './default-effects.ts'
import { type ControlFlags, controlsOf } from './gate-flags.ts'
import { loadParts, type PartsOptions } from './load-parts.ts'
import { loadSettings, type Settings } from './load-settings.ts'
import { openEngine } from './open-engine.ts'
import { type Sessions, sessionsOf } from './open-sessions.ts'

export interface RuntimeOptions extends PartsOptions, ControlFlags {
  readonly io: Io
  /** The folder the agents may change. */
  readonly workspace: string
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
  /** The agent that starts when nobody is named. */
  readonly entry?: string
  tell(message: string): void
  /** What a person should know before it starts. */
  readonly notices: readonly Notice[]
  /** Carries out what other processes ask of the sessions that run here. The result ends it. */
  watchRequests(): () => void
}

/** Where the parts of a run and the engine meet. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const parts = await loadParts(options.io, options, (settings, home) => confirmed(settings, options, home))
  const { home, models, policy, enforced, registry, entry } = parts
  const controls = controlsOf(options)
  const engine = await openEngine(home, options.tell, options.ask)
  const orchestrator = createOrchestrator(
    {
      engine,
      models,
      agents: parts.agents,
      tools: parts.tools,
      rules: [...enforced.rules, defaultEffects],
      refuse: enforced.refuse,
      clock: systemClock,
      ids: sessionIds,
      emit: options.emit,
    },
    { limits: parts.wanted, ceilings: enforced.ceilings },
  )
  return {
    ...sessionsOf(home, engine),
    orchestrator: startingWith(orchestrator, {
      // Nobody is offered in the first place what would be refused anyway.
      ...(!policy.subagents && { delegation: false }),
      ...(controls && { controls }),
    }),
    models,
    tell: options.tell,
    agents: registry,
    ...(entry !== undefined && { entry }),
    notices: parts.notices,
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

/** Every run of this process is started with these. */
function startingWith(orchestrator: Orchestrator, what: Partial<StartRequest>): Orchestrator {
  return {
    ...orchestrator,
    start: (request, signal) => orchestrator.start({ ...request, ...what }, signal),
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
