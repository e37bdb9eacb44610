import path from 'node:path'
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
  type VoteChannel,
} from '@cadre/core'
import { createAudit, listHomeItems, openAuditLog } from '@cadre/gate'
import { type Config, watchRequests } from '@cadre/home'
import type { Telemetry } from '@cadre/telemetry'
import { type Checkpoints, openCheckpoints } from '@cadre/workspaces'
import { chooseAgent } from './choose-agent.ts'
import { createAdoptAgent } from './create-adopt-agent.ts'
import type { Environment } from './environment.ts'
import { allowNotices, type ControlFlags, controlsOf, type ProgramControls } from './gate-flags.ts'
import { homeStateOf } from './home-trust.ts'
import { loadParts } from './load-parts.ts'
import { openEngine } from './open-engine.ts'
import { type Sessions, sessionsOf } from './open-sessions.ts'
import { openTelemetry, telemetryNotices } from './open-telemetry.ts'
import { orchestrate } from './orchestrate.ts'
import { personName } from './person-name.ts'
import type { AskPerson, ConfirmTrust } from './person-port.ts'
import { createPromptCommands, type PromptCommands } from './prompt-commands.ts'
import { resolveWorkspace } from './resolve-workspace.ts'
import type { PartsOptions, RunParts } from './run-parts.ts'
import { homeOf } from './user-paths.ts'

export interface RuntimeOptions
  extends Omit<PartsOptions, 'telemetry' | 'startsServers'>,
    ControlFlags,
    ProgramControls {
  /** The environment variables, the current folder and the function for warnings. Default: those of this process. */
  readonly environment?: Partial<Environment> | undefined
  /** Receives every event of every session, in order. Must not throw. */
  readonly onEvent?: ((event: CadreEvent) => void) | undefined
  /** Asks a person to approve a call. Without it, a call that needs approval suspends the run until a person decides. */
  readonly ask?: AskPerson | undefined
  /** How `ask` reaches the person. Default: the terminal. */
  readonly askedVia?: VoteChannel | undefined
  /** Asks a person whether to trust the folder. Without it, an untrusted folder stays untrusted. */
  readonly confirmTrust?: ConfirmTrust | undefined
}

export interface RunRequest extends Omit<StartRequest, 'agent' | 'workspace'> {
  /** Default: the agent of the runtime, else the entry agent in the project or the team. */
  readonly agent?: string | AgentDefinition
  /** Default: the workspace of the runtime. */
  readonly workspace?: string
}

/** Everything that a run needs. Nothing on disk changes before a session starts. */
export interface Runtime extends Sessions {
  /**
   * Runs an agent and its team. Resolves with the report, or with the questions that a person must answer. Rejects with a
   * `CadreError` if the request is invalid. Aborting the signal stops the whole tree of agents.
   */
  run(request: RunRequest | string, signal?: AbortSignal): Promise<RunResult>
  /** Starts, resumes, stops and explains sessions. */
  readonly orchestrator: Orchestrator
  readonly models: Models
  /** The changes of each turn in shared workspaces, for undo and redo. */
  readonly checkpoints: Checkpoints
  readonly agents: AgentRegistry
  /** The default agent of a run. */
  readonly entry?: string
  /** The prompt files in the workspace. */
  readonly prompts: PromptCommands
  /** How to notify the user, as configured. */
  readonly notify?: Config['notify']
  /** Shows a message to the user. */
  tell(message: string): void
  /** Messages to the user before a run starts. */
  readonly notices: readonly Notice[]
  /** Set if the run is exported to an OpenTelemetry collector. */
  readonly telemetry?: Pick<Telemetry, 'traceparent' | 'link'>
  /** Handles requests of other processes, such as to cancel a session that runs here. The returned function stops watching. */
  watchRequests(): () => void
}

/** With `--no-human`: also refuses pending questions of earlier runs, unless they were decided in the meantime. */
const refuseWithoutPerson: AskPerson = async (_session, { kind }) => ({
  decision: kind === 'approval' ? 'reject' : 'leave',
  by: 'cadre',
  reason: 'no person is available (--no-human)',
})

/** Creates a runtime from the files in a folder: loads home, trust, policy, agents, gate, tools and models, and opens the engine. */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const environment: Environment = {
    env: process.env,
    cwd: process.cwd(),
    warn: (message) => void process.stderr.write(`cadre: ${message}\n`),
    ...options.environment,
  }
  const { workspace = environment.cwd, tell = environment.warn } = options
  const telemetry = await openTelemetry(environment.env, {
    tell,
    home: () => homeOf(environment, options.home, options.trust).path,
  })
  const given = { ...options, workspace, tell, telemetry, startsServers: true }
  const parts = await loadParts(environment, given, options.confirmTrust)
  try {
    return await assemble(options, { environment, given, parts, telemetry })
  } catch (error) {
    await parts.servers.close()
    throw error
  }
}

interface Assembly {
  readonly environment: Environment
  readonly given: PartsOptions & { readonly workspace: string; readonly tell: (message: string) => void }
  readonly parts: RunParts
  readonly telemetry: Telemetry | undefined
}

async function assemble(
  options: RuntimeOptions,
  { environment, given, parts, telemetry }: Assembly,
): Promise<Runtime> {
  const { workspace, tell } = given
  const { home, models, registry, entry } = parts
  const audit = createAudit({ home, tell, environment: environment.env })
  const controls = controlsOf(options, parts)
  const keepGrant = await grantKeeper(environment, given, parts)
  const emit = (event: CadreEvent) => {
    audit(event)
    telemetry?.take(event)
    if (event.type === 'session.started' && event.depth === 0) keepGrant(event.root)
    options.onEvent?.(event)
  }
  const ask = options.noHuman ? refuseWithoutPerson : options.ask
  const engine = await openEngine(home, tell, {
    env: environment.env,
    ask,
    askedVia: options.askedVia,
    isUnattended: options.noHuman,
    adopt: createAdoptAgent(() => parts),
  })
  const checkpoints = openCheckpoints({ home })
  const orchestrator = orchestrate(parts, { engine, emit, controls, checkpoints, telemetry })
  return {
    ...sessionsOf(home, engine),
    async close() {
      try {
        await engine.close()
        await Promise.all([models.close?.(), parts.servers.close()])
      } finally {
        await telemetry?.close()
      }
    },
    orchestrator,
    models,
    prompts: createPromptCommands({
      parts,
      orchestrator,
      workspace: path.resolve(environment.cwd, workspace),
      person: personName(environment.env),
      log: openAuditLog({ home, tell, environment: environment.env }),
    }),
    checkpoints,
    tell,
    agents: registry,
    ...(entry !== undefined && { entry }),
    ...(parts.config.notify && { notify: parts.config.notify }),
    notices: [...parts.notices, ...allowNotices(options, parts), ...telemetryNotices(telemetry)],
    ...(telemetry && { telemetry }),
    async run(request, signal = new AbortController().signal) {
      const wanted: RunRequest = typeof request === 'string' ? { work: request } : request
      const { agent = options.agent } = wanted
      const chosen = typeof agent === 'object' ? agent : chooseAgent({ agents: registry, entry }, agent)
      const folder = resolveWorkspace(environment, wanted.workspace ?? workspace)
      return orchestrator.start(
        {
          ...(options.maxTurns !== undefined && { maxRounds: options.maxTurns }),
          ...wanted,
          workspace: folder,
          agent: chosen,
        },
        signal,
      )
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
    ? [...listHomeItems(home.path, await homeStateOf(environment, home)), ...brought]
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
