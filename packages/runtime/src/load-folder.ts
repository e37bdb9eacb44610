import { type AgentPaths, type AgentRegistry, createAgents } from '@cadre/agents'
import type { HomeState } from '@cadre/gate'
import type { Home } from '@cadre/home'
import type { Environment } from './environment.ts'
import {
  homeStateOf,
  rejectUntrusted,
  substituteHome,
  trustsEverything,
  untrustedItems,
} from './home-trust.ts'
import type { ConfirmTrust } from './person-port.ts'
import { requirePolicy } from './policy-of-run.ts'
import { restorePath } from './project-path.ts'
import type { PartsOptions } from './run-parts.ts'
import { type TrustedFolder, trustFolder } from './trust-folder.ts'
import { agentPaths, homeOf, projectOf, userPaths } from './user-paths.ts'

/** The folder of a run, and how far a person trusts it. */
export interface LoadedFolder {
  /** The home of the folder, even if it is not trusted. */
  readonly found: Home
  /** The state of that home. Undefined if everything is trusted. */
  readonly state: HomeState | undefined
  readonly folder: TrustedFolder
  /** The home that the run uses. */
  readonly home: Home
  /** Where the run looks for agents. */
  readonly places: AgentPaths
  /** The agents in files. */
  readonly files: AgentRegistry
}

/** Finds the folder, the home and the agents of a run, and asks a person whether to trust them. The first phase of `loadParts`. */
export async function loadFolder(
  io: Environment,
  options: PartsOptions,
  confirm: ConfirmTrust | undefined,
): Promise<LoadedFolder> {
  const { restricted = false } = options
  const workspace = options.workspace ?? io.cwd
  const ofFolder = homeOf(io, options.home, options.trust)
  const found = restricted ? substituteHome(io, ofFolder) : ofFolder
  // Runs git while the rest is loaded.
  const state = trustsEverything(io, options) ? undefined : homeStateOf(io, found, options)
  state?.catch(() => {})
  const foundPlaces = {
    ...(restricted
      ? { home: found.path, userHome: userPaths(io.env).home }
      : agentPaths(io, found, workspace)),
    settings: options.settings,
  }
  const foundAgents = createAgents(foundPlaces)
  // Before any question to the user: nothing runs under an invalid policy.
  const { customAgents, mcp } = await requirePolicy(io, found, false)
  const judged = await trustFolder(io, {
    home: found,
    state,
    project: projectOf(workspace),
    agents: customAgents ? foundAgents.list() : [],
    workspace,
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
  return { found, state: await state, folder, home, places, files }
}
