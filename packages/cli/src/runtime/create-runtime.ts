import type { CadreEvent, Models, Notice, Orchestrator } from '@cadre/core'
import { type AgentRegistry, watchRequests } from '@cadre/files'
import { createAudit } from '@cadre/gate'
import type { Io } from '../io.ts'
import type { AskPerson } from '../run/ask-person.ts'
import type { ConfirmTrust } from '../run/confirm-trust.ts'
import { adoptFrom } from './adopt-from.ts'
import { type ControlFlags, controlsOf } from './gate-flags.ts'
import { grantKeeper } from './keep-grant.ts'
import { loadParts, type PartsOptions } from './load-parts.ts'
import { openEngine } from './open-engine.ts'
import { type Sessions, sessionsOf } from './open-sessions.ts'
import { orchestrate } from './orchestrate.ts'

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

/** With `--no-human`: what waits since an earlier run is refused as well, unless somebody has decided it meanwhile. */
const answerForNobody: AskPerson = async (_session, { kind }) => ({
  decision: kind === 'approval' ? 'reject' : 'leave',
  by: 'cadre',
  reason: 'nobody can be asked (--no-human)',
})

/** Where the parts of a run and the engine meet. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const parts = await loadParts(options.io, options, options.confirmTrust)
  const { home, models, registry, entry } = parts
  const audit = createAudit({ home, tell: options.tell, environment: options.io.env })
  const controls = controlsOf(options, parts)
  const keepGrant = await grantKeeper(options, parts)
  const emit = (event: CadreEvent) => {
    audit(event)
    if (event.type === 'session.started' && event.depth === 0) keepGrant(event.root)
    options.emit(event)
  }
  const ask = options.noHuman ? answerForNobody : options.ask
  const engine = await openEngine(home, options.tell, {
    env: options.io.env,
    ask,
    adopt: adoptFrom(() => parts),
  })
  const orchestrator = orchestrate(parts, { engine, emit, controls })
  return {
    ...sessionsOf(home, engine),
    orchestrator,
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
