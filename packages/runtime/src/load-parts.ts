import { defaultLimits, isReadOnlyTool, withinCeilings } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { createGuard, findHooks, findPermissions, findSandbox, importsItem } from '@cadre/gate'
import {
  type Config,
  createLedger,
  defaultTeamMessages,
  enforcePolicy,
  type LoadedPolicy,
  openGrants,
  openTeams,
  restrictModels,
  withModelAliases,
  withPolicyBudgets,
} from '@cadre/home'
import { createKnowledge } from '@cadre/knowledge'
import { assistant } from './assistant.ts'
import { cacheBriefly } from './cache-briefly.ts'
import { createConfine } from './create-confine.ts'
import { declineElicitation } from './decline-elicitation.ts'
import type { Environment } from './environment.ts'
import { findServers } from './find-servers.ts'
import { loadFolder } from './load-folder.ts'
import { loadRunAgents } from './load-run-agents.ts'
import { loadServers } from './load-servers.ts'
import { limitsOf, loadSettings } from './load-settings.ts'
import { loadTools } from './load-tools.ts'
import { openLedgerStore, placeOf } from './open-ledger-store.ts'
import { guardNotices, pathNotices } from './parts-notices.ts'
import type { ConfirmTrust } from './person-port.ts'
import { policyNotices, requirePolicy, withSettings } from './policy-of-run.ts'
import { dropProjectPath } from './project-path.ts'
import type { PartsOptions, RunParts } from './run-parts.ts'
import { ownHomeFor, trustNotices } from './trust-folder.ts'
import { policyHooks, projectOf, userPaths } from './user-paths.ts'

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
  const project = projectOf(options.workspace ?? io.cwd)
  // Before any program of the PATH is started.
  const dropped = dropProjectPath(io.env, [project, projectOf(io.cwd)])
  const sandbox = findSandbox(io.env)
  let untried: unknown
  sandbox.catch((error) => {
    untried = error
  })
  const { restricted = false } = options
  const user = userPaths(io.env)
  const { found, state, folder, home, places, files } = await loadFolder(io, options, confirm)
  const settings = await loadSettings(io, home, { homeTrusted: true, trust: folder.trust })
  const { config } = settings
  const policy = withSettings(await requirePolicy(io, found, folder.homeTrusted), settings)
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
          ownHome: ownHomeFor(io, found, state),
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
