import { findServer } from '../copilot-ls/find-server.ts'
import { systemClock } from '../pause.ts'
import { readCache } from './copilot-cache.ts'
import { inspectCopilot, mayBeSignedIn } from './inspect-copilot.ts'
import { tokenVariable } from './stored-copilot-sign-in.ts'
import type { CopilotOptions } from './with-server.ts'

/** How long the server's answer is cached, in milliseconds. */
const maxCacheAge = 24 * 60 * 60_000
const limit = 15_000

/**
 * Returns Copilot's default model as `copilot-ls:NAME`, if the language server is installed and a user is signed in. Starts
 * no process if there is none, and at most one per day to find its name.
 */
export async function copilotDefaultModel(
  env: CopilotOptions['env'],
  options: Omit<CopilotOptions, 'env'> = {},
): Promise<string | undefined> {
  const { clock = systemClock } = options
  if (findServer({ env, configured: options.configured }) === undefined || !mayBeSignedIn(env))
    return undefined
  const { account } = readCache(env)
  const known = account?.kind === 'signed-in' && account.variable === tokenVariable(env) ? account : undefined
  if (known?.model !== undefined && clock.now() - known.at < maxCacheAge) return idOf(known.model)
  const survey = await inspectCopilot({ ...options, env, limit })
  if (survey?.account?.kind === 'signed-out' || survey?.account?.kind === 'no-access') return undefined
  // If GitHub is unreachable, the last answer is used.
  const model = survey?.models?.find(({ isDefault }) => isDefault)?.id ?? known?.model
  return model === undefined ? undefined : idOf(model)
}

function idOf(model: string): string {
  return `copilot-ls:${model}`
}
