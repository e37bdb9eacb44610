import { CadreError } from '@cadre/core'
import { homeOf, loadSettings, untrustedItems } from '@cadre/runtime'
import type { Io } from '../../io.ts'

export interface EnsureOptions {
  readonly model?: string | undefined
  readonly home?: string | undefined
  readonly trust?: boolean | undefined
  readonly json?: boolean | undefined
}

/**
 * Starts the setup in a terminal if no model is configured. Does nothing if a model is named, or without a terminal: the
 * run then reports what is missing. Rejects if the user cancels.
 */
export async function ensureModel(io: Io, options: EnsureOptions): Promise<void> {
  const { model, trust, json } = options
  if (model?.trim() || io.env['CADRE_MODEL']?.trim()) return
  if (json || io.stdin.isTTY !== true || !io.stdout.isTTY) return
  const home = homeOf(io, options.home, trust)
  // The run asks about trust first, and the home may name a model.
  if ((await untrustedItems(io, home, { trust })).length > 0) return
  const { config } = await loadSettings(io, home, { homeTrusted: true })
  if (config.model !== undefined) return
  const { createModels, findServer, mayBeSignedIn } = await import('@cadre/backends')
  if (mayBeSignedIn(io.env) && findServer({ env: io.env, configured: config.copilot?.server }) !== undefined)
    return
  const models = createModels({ config, env: io.env, cwd: io.cwd })
  const found = await models.resolve(undefined)
  await models.close?.()
  if (found.kind === 'found') return
  io.stdout.write('No model is configured yet.\n')
  const { setUpInTerminal } = await import('./setup.ts')
  const code = await setUpInTerminal(io, options.home)
  if (code !== 0)
    throw new CadreError('cancelled', 'no model is configured. Run "cadre setup" to choose one.')
}
