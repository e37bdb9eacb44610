import { findServer } from '../copilot-ls/find-server.ts'
import { systemClock } from '../pause.ts'
import { recall } from './remembered.ts'
import { tokenVariable } from './stored-sign-in.ts'
import { mayBeSignedIn, surveyCopilot } from './survey-copilot.ts'
import type { CopilotOptions } from './with-server.ts'

/** How long an answer of the server is believed, in milliseconds. */
const age = 24 * 60 * 60_000
const limit = 15_000

/**
 * The default model of Copilot, as `copilot-ls:NAME`, when the language server is installed and somebody is signed in. No process is
 * started to find out that there is none, and one at most once a day to find out which it is.
 */
export async function copilotDefaultModel(
  env: CopilotOptions['env'],
  options: Omit<CopilotOptions, 'env'> = {},
): Promise<string | undefined> {
  const { clock = systemClock } = options
  if (findServer({ env, configured: options.configured }) === undefined || !mayBeSignedIn(env))
    return undefined
  const { account } = recall(env)
  const known = account?.kind === 'signed-in' && account.variable === tokenVariable(env) ? account : undefined
  if (known?.model !== undefined && clock.now() - known.at < age) return idOf(known.model)
  const survey = await surveyCopilot({ ...options, env, limit })
  if (survey?.account?.kind === 'signed-out' || survey?.account?.kind === 'no-access') return undefined
  // GitHub may be out of reach: then the last answer is better than none.
  const model = survey?.models?.find(({ isDefault }) => isDefault)?.id ?? known?.model
  return model === undefined ? undefined : idOf(model)
}

function idOf(model: string): string {
  return `copilot-ls:${model}`
}
