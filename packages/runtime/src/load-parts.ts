import { type AgentRegistry, createAgents, type EditorSettings } from '@cadre/agents'
import type { ModelsOptions } from '@cadre/backends'
import {
  type Agents,
  defaultLimits,
  isReadOnlyTool,
  type Ledger,
  type Models,
  type Notice,
  type RunLimits,
  type Tool,
  withinCeilings,
} from '@cadre/core'
import { systemClock } from '@cadre/disk'
import {
  createGuard,
  type Evidence,
  findHooks,
  findPermissions,
  findSandbox,
  type Guard,
  importsItem,
} from '@cadre/gate'
import {
  type Config,
  createLedger,
  defaultTeamMessages,
  type Enforcement,
  enforcePolicy,
  type Grants,
  type Home,
  type LoadedPolicy,
  openGrants,
  openTeams,
  restrictModels,
  type TeamFiles,
  type TrustItem,
  withModelAliases,
  withPolicyBudgets,
} from '@cadre/home'
import { createKnowledge, type KnowledgeSource } from '@cadre/knowledge'
import type { ServerConfig } from '@cadre/mcp'
import type { Telemetry } from '@cadre/telemetry'
import type { Documents, WatchCommand } from '@cadre/tools'
import { assistant } from './assistant.ts'
import { cacheBriefly } from './cache-briefly.ts'
import { createConfine } from './create-confine.ts'
import { declineElicitation } from './decline-elicitation.ts'
import type { Environment } from './environment.ts'
import { findServers } from './find-servers.ts'
import type { GateFlags } from './gate-flags.ts'
import {
  homeStateOf,
  rejectUntrusted,
  substituteHome,
  trustsEverything,
  untrustedItems,
} from './home-trust.ts'
import { loadRunAgents } from './load-run-agents.ts'
import { type LoadedServers, loadServers } from './load-servers.ts'
import { limitsOf, loadSettings } from './load-settings.ts'
import { loadTools } from './load-tools.ts'
import { openLedgerStore, placeOf } from './open-ledger-store.ts'
import { guardNotices, pathNotices } from './parts-notices.ts'
import type { ConfirmTrust, ElicitFromPerson } from './person-port.ts'
import { policyNotices, requirePolicy, withSettings } from './policy-of-run.ts'
import { dropProjectPath, restorePath } from './project-path.ts'
import { ownHomeFor, trustFolder, trustNotices } from './trust-folder.ts'
import { agentPaths, homeOf, policyHooks, projectOf, userPaths } from './user-paths.ts'

export interface PartsOptions extends GateFlags {
  readonly home?: string | undefined
  /** The folder that agents may change. The run can use the agents of its project. Default: the current folder. */
  readonly workspace?: string | undefined
  /** The built-in team to use: `NAME` or `NAME/VARIANT`. */
  readonly team?: string | undefined
  /** False: use the agents in the team, but none of the permissions that it ships with. */
  readonly teamPermits?: boolean | undefined
  /** The agent to start or to explain. If it is built in, its team is loaded too. */
  readonly agent?: string | undefined
  /** For a resumed run: the agents that its entry session may delegate to. */
  readonly targets?: readonly string[] | undefined
  readonly model?: string | undefined
  readonly depth?: number | undefined
  readonly concurrency?: number | undefined
  readonly maxTurns?: number | undefined
  readonly trust?: boolean | undefined
  /** For a resumed run: what `--trust` covered when it started. */
  readonly granted?: readonly TrustItem[] | undefined
  /**
   * Ignores the agents, hooks, configuration and home in the folder, even if the folder is trusted. Agents are read-only. For programs
   * that ask their users about trust themselves, such as an editor in restricted mode.
   */
  readonly restricted?: boolean | undefined
  /** Asks whether to trust the folder even if the user has declined before. */
  readonly asksAgain?: boolean | undefined
  /** False: the system prompt of a session has no instructions, skills or facts about the environment. */
  readonly knowledge?: boolean | undefined
  /** A sentence that tells the user how to trust the folder. Default: the instructions for the command line. */
  readonly howToTrust?: string | undefined
  /** Rejects if the home is not trusted, instead of using a temporary one. */
  readonly needsHome?: boolean | undefined
  /** Tools of the program that runs Cadre, such as an editor. They take precedence over custom and built-in tools with the same name. */
  readonly tools?: readonly Tool[] | undefined
  /** The editor that runs Cadre, if it reads and writes files itself. */
  readonly documents?: Documents | undefined
  /** Shows the output of commands to a person while they run. */
  readonly watchCommand?: WatchCommand | undefined
  /** Settings of the editor that runs Cadre, used instead of `.vscode/settings.json`. */
  readonly settings?: EditorSettings | undefined
  /** Model backends of the program that runs Cadre, by the prefix of their model names. */
  readonly backends?: ModelsOptions['backends']
  /** Replaces the artifacts in workspaces. A replay reads them from its fixture. */
  readonly evidence?: Evidence | undefined
  /** False: no hook runs, and none decides anything. */
  readonly runsHooks?: boolean | undefined
  /** Receives messages to the user during the run, one sentence each. */
  readonly tell?: ((message: string) => void) | undefined
  /** Exports what happens in the run. See `openTelemetry`. */
  readonly telemetry?: Telemetry | undefined
  /** MCP servers of the program that runs Cadre, such as an editor. */
  readonly mcpServers?: readonly ServerConfig[] | undefined
  /** False: do not start the MCP servers in files of VS Code. For VS Code, which offers their tools itself. */
  readonly editorFiles?: boolean | undefined
  /** True: MCP servers that were never used start now, so that agents see their tools. The caller must close `servers`. */
  readonly startsServers?: boolean | undefined
  /** `files`: ignores the engine in the configuration, so budgets that all runs share are kept in files in the home. */
  readonly engine?: 'files' | 'restate' | undefined
  /** Asks a person the questions of MCP servers. Without it, servers cannot ask. */
  readonly elicit?: ElicitFromPerson | undefined
}

/** The parts of a run. */
export interface RunParts {
  readonly home: Home
  /** The settings of the user and of the home that apply to this run. */
  readonly config: Config
  /** The policy, including the settings of the user. */
  readonly policy: LoadedPolicy
  readonly enforced: Enforcement
  /** All agents that were read, with the problems in their files. */
  readonly registry: AgentRegistry
  /** The agents that the run can use. */
  readonly agents: Agents
  /** The default agent. */
  readonly entry?: string
  readonly tools: readonly Tool[]
  /** The MCP servers. They start with the first call of one of their tools. */
  readonly servers: LoadedServers
  readonly teams: TeamFiles
  /** Budgets and limits that all runs of the home share. */
  readonly ledger?: Ledger | undefined
  /** What the folder contains that needs trust, and whether it is trusted. */
  readonly brought: readonly TrustItem[]
  /** Whether a person has agreed to a file of the folder, as it is now. */
  readonly trusts: (item: TrustItem) => boolean
  readonly trusted: boolean
  /** The flags that were recorded for individual runs. */
  readonly grants: Grants
  /** The rules for calls, in addition to those of core and the policy rules about agents. */
  readonly guard: Guard
  /** What sessions know besides the prompt of their agent. */
  readonly knowledge?: KnowledgeSource
  readonly models: Models
  /** The limits in effect, and the requested limits. */
  readonly limits: RunLimits
  readonly wanted: Partial<RunLimits>
  /** `--model`. */
  readonly model?: string
  /** Where the default model is set. */
  readonly modelFrom: string
  /** Messages to the user. */
  readonly notices: readonly Notice[]
}

/**
 * Loads the parts of a run. No other function does. Starts and writes nothing, except with `startsServers`. `confirm` asks a person whether to trust the folder.
 * Rejects if a run would.
 */
export async function loadParts(
  io: Environment,
  options: PartsOptions,
  confirm?: ConfirmTrust,
): Promise<RunParts> {
  // Imported first, so that they load in parallel.
  const backends = import('@cadre/backends')
  const user = userPaths(io.env)
  const project = projectOf(options.workspace ?? io.cwd)
  const dropped = dropProjectPath(io.env, [project, projectOf(io.cwd)])
  const sandbox = findSandbox(io.env)
  let untried: unknown
  sandbox.catch((error) => {
    untried = error
  })
  const { restricted = false } = options
  const ofFolder = homeOf(io, options.home, options.trust)
  const found = restricted ? substituteHome(io, ofFolder) : ofFolder
  // Runs git while the rest is loaded.
  const state = trustsEverything(io, options) ? undefined : homeStateOf(io, found, options)
  state?.catch(() => {})
  const foundPlaces = {
    ...(restricted
      ? { home: found.path, userHome: user.home }
      : agentPaths(io, found, options.workspace ?? io.cwd)),
    settings: options.settings,
  }
  const foundAgents = createAgents(foundPlaces)
  // Before any question to the user: nothing runs under an invalid policy.
  const { customAgents, mcp } = await requirePolicy(io, found, false)
  const judged = await trustFolder(io, {
    home: found,
    state,
    project,
    agents: customAgents ? foundAgents.list() : [],
    workspace: options.workspace ?? io.cwd,
    mcpServers: options.mcpServers,
    editorFiles: options.editorFiles,
    usesServers: mcp && !restricted,
    everything: options.trust,
    granted: options.granted,
    asksAgain: options.asksAgain,
    confirm: restricted ? undefined : confirm,
  })
  const folder = restricted ? { ...judged, homeTrusted: true, trusted: false, trusts: () => false } : judged
  const { homeTrusted } = folder
  if (!homeTrusted && options.needsHome) rejectUntrusted(found, await untrustedItems(io, found, options))
  // A person trusts something in this folder, which is not merely empty.
  if (folder.trusted && (state === undefined || folder.contents.items.length > 0)) restorePath(io.env)
  const home = homeTrusted ? found : substituteHome(io, found)
  const places = homeTrusted ? foundPlaces : { ...foundPlaces, home: home.path }
  const files = homeTrusted ? foundAgents : createAgents(places)
  const settings = await loadSettings(io, home, { homeTrusted: true, trust: folder.trust })
  const { config } = settings
  const policy = withSettings(await requirePolicy(io, found, homeTrusted), settings)
  // `plain` replaces an agent that could not start.
  const enforced = enforcePolicy(policy, { builtIns: [assistant.name, 'plain'] })
  const {
    agents,
    entry,
    team,
    notices: ofTeam,
  } = loadRunAgents({ ...options, config, places, policy, files })
  const hooks = findHooks({
    project: folder.folder,
    userHome: user.home,
    policyFolder: policyHooks,
    trusted: (item) => folder.trusts(item),
    ownHome: home.path,
  })
  // Restrictions of a folder apply even if the folder is not trusted.
  const permissions = findPermissions({
    project: folder.folder,
    userHome: user.home,
    trusted: (item) => folder.trusts(item),
  })
  const grants = openGrants(user.grants)
  const guard = createGuard({
    home,
    userHome: user.home,
    userAllowlist: user.allowlist,
    folder,
    ownHome: home.path,
    trusted: (item) => folder.trusts(item),
    policy,
    team,
    allow: options.allow,
    granted: cacheBriefly((root) => grants.of(home.path, root)?.allow ?? []),
    noHuman: options.noHuman,
    sandbox,
    hooks,
    permissions,
    agents,
    environment: io.env,
    tell: options.tell ?? (() => {}),
    evidence: options.evidence,
    runsHooks: options.runsHooks,
    hookRan: options.telemetry?.hook,
  })
  const knowledge =
    options.knowledge === false
      ? undefined
      : createKnowledge({
          userHome: user.home,
          trusted: folder.trusted,
          mayLeave: (leaving) => folder.trusts(importsItem(folder.folder, leaving)),
          folder: !restricted,
          hiddenIn: (workspace) => guard.hiddenIn(workspace),
          now: () => systemClock.now(),
        })
  const teams = openTeams(home, { maxMessages: config.limits?.teamMessages ?? defaultTeamMessages })
  const engine = options.engine === 'files' ? undefined : config.engine
  const ledger = createLedger(
    withPolicyBudgets(config, policy),
    openLedgerStore(home, engine).change,
    placeOf(engine),
  )
  const wanted = limitsOf(config, options)
  const { copilotDefaultModel, createModels, ProgramCalls } = await backends
  // The sandbox could not be tested for lack of file descriptors, which does not mean that there is none.
  if (untried !== undefined) throw untried
  const { model } = options
  const programCalls = new ProgramCalls()
  const models = createModels({
    config: withModelAliases(config, policy),
    env: io.env,
    cwd: io.cwd,
    clock: systemClock,
    defaultModel: () => copilotDefaultModel(io.env, { configured: config.copilot?.server }),
    programCalls,
    confine: createConfine({ home, guard, sandbox, userHome: user.home, policy, tell: options.tell }),
    ...(model !== undefined && { model }),
    ...(options.backends && { backends: options.backends }),
  })
  const { tell = () => {} } = options
  const servers = await loadServers({
    ...{ io, home, project, guard, tell },
    workspace: options.workspace ?? io.cwd,
    network: policy.network,
    found: restricted
      ? noServers
      : findServers(io, {
          project,
          workspace: options.workspace ?? io.cwd,
          ownHome: ownHomeFor(io, found, await state),
          agents: agents.list(),
          configured: settings.servers,
          client: options.mcpServers,
          editorFiles: options.editorFiles,
          discover: config.mcp?.discover,
        }),
    blocked: blockedServers(folder.trusted, policy),
    starts: options.startsServers ?? false,
    elicit: (options.noHuman ? undefined : options.elicit) ?? declineElicitation,
    telemetry: options.telemetry,
  })
  const { tools, notices: ofTools } = await loadTools({
    home,
    teams,
    settings,
    guard,
    policy,
    agents: enforced.permitted(agents),
    env: io.env,
    model: options.model,
    host: options.tools,
    servers: servers.tools,
    documents: options.documents,
    watchCommand: options.watchCommand,
    skills: (knowledge?.skills(options.workspace ?? io.cwd) ?? []).length > 0 ? knowledge?.skills : undefined,
    tell: options.tell,
  }).catch(async (error) => {
    await servers.close()
    throw error
  })
  return {
    home,
    trusts: (item) => folder.trusts(item),
    config,
    policy,
    enforced,
    registry: agents,
    agents: enforced.permitted(agents),
    ...(entry !== undefined && { entry }),
    teams,
    ledger,
    servers,
    tools: (folder.trusted ? tools : tools.filter(isReadOnlyTool)).map((tool) => programCalls.guard(tool)),
    brought: folder.contents.items,
    trusted: folder.trusted,
    grants,
    guard,
    ...(knowledge && { knowledge }),
    models: restrictModels(models, policy),
    limits: withinCeilings({ ...defaultLimits, ...wanted }, enforced.ceilings),
    wanted,
    ...(model !== undefined && { model }),
    modelFrom: modelFrom(io, config, model),
    notices: [
      ...policyNotices(policy, wanted),
      ...(restricted ? [] : trustNotices(io, folder, home, options.howToTrust)),
      ...pathNotices(io, dropped),
      ...guardNotices([...hooks.diagnostics, ...guard.diagnostics]),
      ...ofTools,
      ...servers.notices,
      ...ofTeam,
    ],
  }
}

const noServers = { servers: [], folderServers: new Map(), diagnostics: [] }

/** Why the run can use no MCP servers. */
function blockedServers(trusted: boolean, { mcp, decidedBy }: LoadedPolicy): string | undefined {
  const key = 'mcp.contributionPoint.enabled'
  if (!mcp) return `a policy forbids MCP servers: ${key} is false (${decidedBy.get(key) ?? 'policy'})`
  // An untrusted folder could contain the program that a server starts.
  return trusted ? undefined : 'this folder is not trusted'
}

function modelFrom(io: Environment, config: Config, model: string | undefined): string {
  if (model) return '--model'
  if (io.env['CADRE_MODEL']) return 'CADRE_MODEL'
  return config.model ? 'model in the configuration' : 'default'
}
