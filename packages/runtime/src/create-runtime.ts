import type { AgentRegistry } from '@cadre/agents'
import {
  type AgentDefinition,
  type CadreEvent,
  type Models,
  messageOf,
  type Notice,
  type Orchestrator,
  type RunResult,
  type StartRequest,
} from '@cadre/core'
import { createAudit, homeItems } from '@cadre/gate'
import { watchRequests } from '@cadre/home'
import { adoptFrom } from './adopt-from.ts'
import { chooseAgent } from './choose-agent.ts'
import type { Environment } from './environment.ts'
import { type ControlFlags, controlsOf } from './gate-flags.ts'
import { stateOfHome } from './home-trust.ts'
import { loadParts, type PartsOptions, type RunParts } from './load-parts.ts'
import { openEngine } from './open-engine.ts'
import { type Sessions, sessionsOf } from './open-sessions.ts'
import { orchestrate } from './orchestrate.ts'
import type { AskPerson, ConfirmTrust } from './person-port.ts'
import { resolveWorkspace } from './resolve-workspace.ts'

export interface RuntimeOptions extends PartsOptions, ControlFlags {
  /** The environment variables, the folder and the warnings to use; by default those of this process. */
  readonly environment?: Partial<Environment> | undefined
  /** Gets every event of every session, in order. Must not throw. */
  readonly onEvent?: ((event: CadreEvent) => void) | undefined
  /** Asks a person about a call. Without it, a call that needs an approval suspends the run until somebody decides. */
  readonly ask?: AskPerson | undefined
  /** Asks a person whether to trust the folder. Without it, a folder that nobody trusts stays untrusted. */
  readonly confirmTrust?: ConfirmTrust | undefined
}

export interface RunRequest extends Omit<StartRequest, 'agent' | 'workspace'> {
  /** By default the agent that the project or the team configures as its entry. */
  readonly agent?: string | AgentDefinition
  /** By default the workspace of the runtime. */
  readonly workspace?: string
}

/** Everything a run needs, put together. Nothing on disk changes before a session starts. */
export interface Runtime extends Sessions {
  /**
   * Runs an agent and its team. Resolves with the report, or with the questions that wait for a person. Rejects with a
   * `CadreError` when the request is wrong. Aborting the signal stops the whole tree of agents.
   */
  run(request: RunRequest | string, signal?: AbortSignal): Promise<RunResult>
  /** Starts, resumes, stops and explains sessions. */
  readonly orchestrator: Orchestrator
  readonly models: Models
  readonly agents: AgentRegistry
  /** The agent that starts when none is named. */
  readonly entry?: string
  /** Shows a sentence to the person who runs Cadre. */
  tell(message: string): void
  /** What that person should know before a run starts. */
  readonly notices: readonly Notice[]
  /** Carries out what other processes ask of the sessions that run here. The result ends it. */
  watchRequests(): () => void
}

/** With `--no-human`: refuses what is pending since an earlier run as well, unless somebody has decided it meanwhile. */
const answerForNobody: AskPerson = async (_session, { kind }) => ({
  decision: kind === 'approval' ? 'reject' : 'leave',
  by: 'cadre',
  reason: 'no person is available (--no-human)',
})

/** Puts a run together from the files of a folder: home, trust, policy, agents, gate, tools, models and the engine. */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const environment: Environment = {
    env: process.env,
    cwd: process.cwd(),
    warn: (message) => void process.stderr.write(`cadre: ${message}\n`),
    ...options.environment,
  }
  const { workspace = environment.cwd, tell = environment.warn } = options
  const given = { ...options, workspace, tell }
  const parts = await loadParts(environment, given, options.confirmTrust)
  const { home, models, registry, entry } = parts
  const audit = createAudit({ home, tell, environment: environment.env })
  const controls = controlsOf(options, parts)
  const keepGrant = await grantKeeper(environment, given, parts)
  const emit = (event: CadreEvent) => {
    audit(event)
    if (event.type === 'session.started' && event.depth === 0) keepGrant(event.root)
    options.onEvent?.(event)
  }
  const ask = options.noHuman ? answerForNobody : options.ask
  const engine = await openEngine(home, tell, { env: environment.env, ask, adopt: adoptFrom(() => parts) })
  const orchestrator = orchestrate(parts, { engine, emit, controls })
  return {
    ...sessionsOf(home, engine),
    async close() {
      await engine.close()
      await models.close?.()
    },
    orchestrator,
    models,
    tell,
    agents: registry,
    ...(entry !== undefined && { entry }),
    notices: parts.notices,
    async run(request, signal = new AbortController().signal) {
      const wanted: RunRequest = typeof request === 'string' ? { work: request } : request
      const { agent } = wanted
      const chosen = typeof agent === 'object' ? agent : chooseAgent({ agents: registry, entry }, agent)
      const folder = resolveWorkspace(environment, wanted.workspace ?? workspace)
      return orchestrator.start({ ...wanted, workspace: folder, agent: chosen }, signal)
    },
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

/**
 * Records `--allow` and `--trust` when a run starts, so that they apply again when it is resumed. `--trust` covers the current
 * content of the folder; later changes need trust again.
 */
async function grantKeeper(
  environment: Environment,
  {
    allow = [],
    trust,
    tell,
  }: Pick<PartsOptions, 'allow' | 'trust'> & { readonly tell: (message: string) => void },
  { home, brought, grants }: RunParts,
): Promise<(root: string) => void> {
  if (allow.length === 0 && trust !== true) return () => {}
  const items = trust
    ? [...homeItems(home.path, await stateOfHome(environment, home)), ...brought]
    : undefined
  const kept = items?.map(({ path, sha256 }) => ({ path, sha256 }))
  return (root) => {
    try {
      grants.add(home.path, root, { allow, ...(kept && { trust: kept }) })
    } catch (error) {
      tell(messageOf(error))
    }
  }
}
