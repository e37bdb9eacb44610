import type { Budget, RunLimits } from '@cadre/core'
import { isModuleOf } from '@cadre/gate'
import { type Config, createTrust, type Home, type LoadedConfig, loadConfig, type Trust } from '@cadre/home'
import type { Environment } from './environment.ts'
import { trustsEverything } from './home-trust.ts'
import { userPaths } from './user-paths.ts'

export interface Settings extends LoadedConfig {
  /** Returns whether a module in the configuration is trusted, so that Cadre may run it. */
  trustsModule(module: string): boolean
}

export interface SettingsOptions {
  /** Whether the home is the user's own or trusted. Otherwise its configuration is ignored. */
  readonly homeTrusted: boolean
  readonly trust?: Trust | undefined
}

/** Loads the configuration of the user and of the home. Changes nothing on disk. */
export async function loadSettings(
  io: Environment,
  home: Home,
  { homeTrusted, trust }: SettingsOptions,
): Promise<Settings> {
  const places = userPaths(io.env)
  const known = trust ?? createTrust({ file: places.trust, everything: trustsEverything(io, {}) })
  const loaded = await loadConfig({
    ...(homeTrusted && { home: home.path }),
    userConfig: places.config,
    trusted: () => homeTrusted,
  })
  // Files that a module of the home imports from the project are not the user's own.
  const trustsModule = (module: string) =>
    (homeTrusted && isModuleOf(home.path, module)) || known.trustsModule(module)
  return { ...loaded, trustsModule }
}

/** The limits of a run. Flags take precedence over the configuration, and the configuration over defaults. */
export function limitsOf(
  config: Config,
  flags: { depth?: number | undefined; concurrency?: number | undefined; maxTurns?: number | undefined },
): Partial<RunLimits> {
  const { depth, concurrency, sessions, maxTurns, timeoutSeconds, identicalCalls } = config.limits ?? {}
  const limits = {
    depth: flags.depth ?? depth,
    concurrency: flags.concurrency ?? concurrency,
    sessions,
    maxRounds: flags.maxTurns ?? maxTurns,
    timeLimit: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
    identicalCalls,
    budget: config.budget as Budget | undefined,
  }
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}
