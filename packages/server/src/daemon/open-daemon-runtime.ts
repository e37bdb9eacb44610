import { statSync } from 'node:fs'
import path from 'node:path'
import type { CadreEvent, JsonObject } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { createAudit, hookLocations, openAuditLog } from '@cadre/gate'
import type { Config, Home } from '@cadre/home'
import type { Environment } from '@cadre/runtime'
import {
  createAdoptAgent,
  loadParts,
  openEngine,
  openTelemetry,
  orchestrate,
  type PartsOptions,
  policyHooks,
  projectOf,
  type RunParts,
  telemetryNotices,
  userPaths,
} from '@cadre/runtime'
import type { DaemonParts, DaemonRuntime, RuntimeCallbacks } from './daemon-runtime.ts'

export interface DaemonRuntimeOptions extends PartsOptions {
  readonly io: Environment
  readonly home: string
  readonly workspace: string
}

/** Creates the runtime of a daemon: one engine, and parts that are loaded from the current files. */
export async function openDaemonRuntime(
  options: DaemonRuntimeOptions,
  home: Home,
  outside: RuntimeCallbacks,
): Promise<DaemonRuntime> {
  const { io, workspace } = options
  const { tell } = outside
  const log = openAuditLog({
    home,
    tell: (message) => outside.auditFailed(message),
    recovered: () => outside.auditFailed(undefined),
    environment: io.env,
  })
  const audit = createAudit({ home, tell: () => {}, environment: io.env })
  // Its runs are other people's work: they do not belong to the trace of the program that started the daemon.
  const telemetry = await openTelemetry(io.env, { tell, home: () => home.path, joins: false })
  const emit = (event: CadreEvent) => {
    audit(event)
    telemetry?.take(event)
    outside.emit(event)
  }
  // The daemon reports decisions itself, and resumes the sessions that they concern.
  let loaded: RunParts | undefined
  let model: string | undefined
  const engine = await openEngine(home, tell, {
    env: io.env,
    taken: () => {},
    shouldRetry: outside.shouldRetry,
    adopt: createAdoptAgent(
      () => loaded,
      () => model,
    ),
  })
  return {
    home,
    workspace,
    ...(options.trust === true || io.env['CADRE_TRUST'] === '1' ? { trusted: true } : {}),
    clock: systemClock,
    engine,
    approvals: engine.approvals,
    audit: log,
    async load(): Promise<DaemonParts> {
      const parts = await loadParts(io, { ...options, tell, telemetry, needsHome: true, startsServers: true })
      loaded = parts
      const defaultModel = await parts.models.resolve(undefined)
      model = defaultModel.kind === 'found' ? defaultModel.model.id : undefined
      return {
        agents: parts.agents,
        registry: parts.registry,
        models: parts.models,
        settings: parts.config.daemon ?? {},
        channels: channelsOf(parts.config),
        notices: [
          ...parts.notices,
          ...telemetryNotices(telemetry),
          ...(defaultModel.kind === 'found' ? [] : [{ code: 'no_model', message: defaultModel.reason }]),
        ],
        leaves: (root) => {
          if (parts.trusted || parts.grants.of(home.path, root)?.trust === undefined) return undefined
          return `Session ${root} was started with --trust, and the daemon does not trust this folder. Resume it with "cadre resume ${root}", or start the daemon with --trust.`
        },
        close: () => parts.servers.close(),
        begin: () => orchestrate(parts, { engine, emit, shouldRetry: outside.shouldRetry, telemetry }),
      }
    },
    close: async () => telemetry?.close(),
    stamp: () => stampOf(filesOf(options, home, loaded)),
  }
}

/** The settings of each channel. A value that is not a mapping counts as no settings. */
function channelsOf(config: Config): Record<string, JsonObject> {
  const { channels } = config as { readonly channels?: JsonObject }
  return Object.fromEntries(
    Object.entries(channels ?? {}).map(([name, settings]) => [
      name,
      typeof settings === 'object' && settings !== null && !Array.isArray(settings)
        ? (settings as JsonObject)
        : {},
    ]),
  )
}

/** Every file that affects how sessions run, whether or not it exists. */
function filesOf(
  { io, workspace }: DaemonRuntimeOptions,
  home: Home,
  loaded: RunParts | undefined,
): string[] {
  const user = userPaths(io.env)
  const project = projectOf(workspace)
  const hooks = hookLocations({ project, userHome: user.home, policyFolder: policyHooks })
  // If the user trusts the folder later, in another terminal, the daemon reloads.
  const isUntrusted = loaded?.notices.some(({ code }) => code === 'untrusted')
  return [
    home.at('config.yaml'),
    home.at('storage', 'policy.yaml'),
    user.config,
    user.policy,
    '/etc/cadre/policy.yaml',
    ...hooks.map(({ path }) => path),
    ...(loaded?.config.tools ?? []),
    ...serverFiles(project, user.home),
    ...new Set(loaded?.servers.found.servers.map(({ file }) => file) ?? []),
    // Approved tools.
    path.join(user.servers, 'tools'),
    ...(isUntrusted ? [user.trust, user.homes] : []),
  ]
}

/** Where MCP servers may be configured. */
function serverFiles(project: string, userHome: string): string[] {
  return [
    ...['.mcp.json', '.vscode/mcp.json', '.github/mcp.json'].map((name) => path.join(project, name)),
    path.join(userHome, '.copilot', 'mcp-config.json'),
  ]
}

function stampOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false })
      return stats === undefined ? `${file} -` : `${file} ${stats.ino} ${stats.size} ${stats.mtimeMs}`
    })
    .join('\n')
}
