import type { Agents, Notice, Tool } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import type { Guard } from '@cadre/gate'
import { ownArtifact } from '@cadre/gate'
import {
  type Config,
  type Home,
  isDaemonRunning,
  openMailboxes,
  type Policy,
  type TeamFiles,
} from '@cadre/home'
import { sessionSummaryOf } from '@cadre/journal'
import type { KnowledgeSource } from '@cadre/knowledge'
import type { Documents, WatchCommand } from '@cadre/tools'
import type { Settings } from './load-settings.ts'

export interface LoadedTools {
  readonly tools: readonly Tool[]
  readonly notices: readonly Notice[]
}

export interface ToolsRequest {
  readonly home: Home
  readonly settings: Settings
  /** The environment variables that the configuration uses for secrets. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** `--model`. */
  readonly model?: string | undefined
  /** The recipients of messages. Absent if tools are only listed. */
  readonly agents?: Agents
  /** The store for teams. Absent if tools are only listed. */
  readonly teams?: TeamFiles
  /** Absent if tools are only listed. */
  readonly guard?: Pick<
    Guard,
    'places' | 'project' | 'hiddenIn' | 'unreadableIn' | 'unwritableIn' | 'sandbox'
  >
  /** The skills of a workspace. Absent if there are none, or tools are only listed. */
  readonly skills?: KnowledgeSource['skills'] | undefined
  /** The editor that runs Cadre, if it reads and writes files itself. */
  readonly documents?: Documents | undefined
  /** Shows the output of commands while they run. */
  readonly watchCommand?: WatchCommand | undefined
  /** Tools of the program that runs Cadre. */
  readonly host?: readonly Tool[] | undefined
  /** Tools of MCP servers. */
  readonly servers?: readonly Tool[] | undefined
  readonly policy?: Pick<Policy, 'network' | 'environment' | 'commands'> & Partial<Pick<Policy, 'effects'>>
  readonly tell?: ((message: string) => void) | undefined
}

/** Loads the built-in tools, trusted tools of the configuration, and tools of the host, which take precedence. */
export async function loadTools(request: ToolsRequest): Promise<LoadedTools> {
  const { home, guard, policy } = request
  const { config, trustsModule: trusted } = request.settings
  const { combineTools, createTools, loadCustomTools, loadEmbedder } = await import('@cadre/tools')
  const { semantic } = config.search ?? {}
  const builtIn = createTools({
    home: home.path,
    own: ownArtifact,
    documents: request.documents,
    ...(guard && { places: guard.places, hiddenIn: guard.hiddenIn }),
    commands: {
      home,
      ...(guard && {
        sandbox: guard.sandbox,
        unreadableIn: guard.unreadableIn,
        unwritableIn: guard.unwritableIn,
        excluded: [guard.project],
      }),
      ...(policy && ceilingsOf(policy)),
      ...(request.tell && { tell: request.tell }),
      watch: request.watchCommand,
    },
    ...(request.agents && { messages: messagesOf(home, request.agents, request.teams) }),
    teams: request.teams !== undefined,
    attended: () => isDaemonRunning(home),
    senders: {
      slack: typeof config.channels?.['slack'] === 'object',
      mail: hasMailOut(config),
      load: async () => (await import('@cadre/channels')).openSenders(config, home, request.env ?? {}),
    },
    ...(request.skills && { skills: request.skills }),
    ...(config.check && { check: config.check }),
    ...(config.web && { web: config.web }),
    ...(semantic?.enabled !== false && { loadEmbedder: once(() => embedOf(request, loadEmbedder)) }),
  })
  const { host = [], servers = [] } = request
  if (config.tools === undefined && host.length === 0 && servers.length === 0)
    return { tools: builtIn, notices: [] }
  const custom = await loadCustomTools({
    modules: config.tools ?? [],
    base: home.path,
    trusted,
  })
  const { tools, reports } = combineTools([
    builtIn,
    servers,
    custom.tools,
    host.map((tool) => ({ ...tool, origin: 'editor' as const })),
  ])
  const faults = custom.faults.map(({ message }) => ({ code: 'configuration', message }))
  return { tools, notices: [...faults, ...reports] }
}

type LoadEmbed = typeof import('@cadre/tools').loadEmbedder

/**
 * Returns the embeddings for semantic search: a module in the configuration, or the endpoint of the default model. Another endpoint would
 * receive files that it does not see otherwise, so it is used only if the configuration names an embedding model.
 */
async function embedOf(
  { settings, home, env = {}, policy, model: wanted }: ToolsRequest,
  loadEmbedder: LoadEmbed,
) {
  const { config, trustsModule: trusted } = settings
  const { module, model, options } = config.search?.semantic ?? {}
  if (module !== undefined) return loadEmbedder({ module, options, base: home.path, trusted })
  if (policy?.effects?.outbound === 'deny')
    return 'semantic search is not available: a policy does not allow agents to send data (effects.outbound)'
  const { mayBeSignedIn, openEmbeddings } = await import('@cadre/backends')
  const named = wanted || env['CADRE_MODEL'] || config.model || (mayBeSignedIn(env) ? 'copilot-ls:' : '')
  const usual = config.aliases?.[named] ?? named
  if (model === undefined && /^[\w-]+:/.test(usual) && !/^(openai|responses):/.test(usual))
    return 'semantic search is not available: the default model is not on an endpoint with embeddings. Name an embedding model with search.semantic.model in config.yaml'
  const opened = await openEmbeddings({ config, env, clock: systemClock, model })
  return typeof opened === 'string' ? `semantic search is not available: ${opened}` : opened
}

/** Called once; the result is cached for the run. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

function hasMailOut({ channels }: Config): boolean {
  const mail = channels?.['mail']
  return typeof mail === 'object' && mail !== null && 'out' in mail
}

function messagesOf(home: Home, agents: Agents, teams: TeamFiles | undefined) {
  return () => ({
    mailboxes: openMailboxes(home),
    ...(teams && { teams }),
    agents,
    agentOf: async (session: string) => sessionSummaryOf(home, session)?.agent,
    attended: () => isDaemonRunning(home),
  })
}

function ceilingsOf({
  network,
  environment,
  commands,
}: Pick<Policy, 'network' | 'environment' | 'commands'>): import('@cadre/tools').CommandOptions {
  const { timeoutSeconds, outputKilobytes, ...limits } = commands
  return {
    network,
    environment,
    limits,
    maxSeconds: timeoutSeconds,
    maxOutput: outputKilobytes === undefined ? undefined : outputKilobytes * 1024,
  }
}
