import type { Budget, RunLimits } from '@cadre/core'
import { type Config, createTrust, type Home, type LoadedConfig, loadConfig, type Trust } from '@cadre/files'
import type { Io } from '../io.ts'
import { userPlaces } from './places.ts'
import type { TrustedFolder } from './trust-folder.ts'

export interface Settings extends LoadedConfig {
  readonly trust: Trust
}

/**
 * The user's and the home's configuration. What the home's would run or open up counts where the folder is trusted; for
 * whoever only looks, where that setting is, or with `--trust`. Changes nothing on disk.
 */
export async function loadSettings(
  io: Io,
  home: Home,
  trusted: boolean | TrustedFolder = false,
): Promise<Settings> {
  const places = userPlaces(io.env)
  const folder = typeof trusted === 'boolean' ? undefined : trusted
  const everything = trusted === true || io.env['CADRE_TRUST'] === '1'
  const trust = folder?.trust ?? createTrust({ file: places.trust, everything })
  const loaded = await loadConfig({
    home: home.path,
    userConfig: places.config,
    trusted: (item) => (folder ?? trust).trusts(item),
  })
  return { ...loaded, trust }
}

/** The ceilings of a run: flags over configuration over defaults. */
export function limitsOf(
  config: Config,
  flags: { depth?: number | undefined; concurrency?: number | undefined; maxTurns?: number | undefined },
): Partial<RunLimits> {
  const { depth, concurrency, sessions, maxTurns, timeoutSeconds } = config.limits ?? {}
  const limits = {
    depth: flags.depth ?? depth,
    concurrency: flags.concurrency ?? concurrency,
    sessions,
    maxRounds: flags.maxTurns ?? maxTurns,
    timeLimit: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
    budget: config.budget as Budget | undefined,
  }
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}
