import { CadreError } from '@cadre/core'
import type { Io } from '../../io.ts'

export interface EnsureOptions {
  readonly model?: string | undefined
  readonly home?: string | undefined
  readonly json?: boolean | undefined
}

/**
 * Starts the setup at a terminal if no model is configured. Costs nothing where a model is named, and changes nothing without a terminal:
 * the run itself then says what is missing. Rejects if the user cancels.
 */
export async function ensureModel(io: Io, { model, home, json }: EnsureOptions): Promise<void> {
  if (model?.trim() || io.env['CADRE_MODEL']?.trim()) return
  if (json || io.stdin.isTTY !== true || !io.stdout.isTTY) return
  const { configOf, setupAtTerminal } = await import('./setup.ts')
  const config = await configOf(io, home)
  if (config.model !== undefined) return
  const { createModels, findServer, mayBeSignedIn } = await import('@cadre/backends')
  if (mayBeSignedIn(io.env) && findServer({ env: io.env, configured: config.copilot?.server }) !== undefined)
    return
  const models = createModels({ config, env: io.env, cwd: io.cwd })
  const found = await models.resolve(undefined)
  await models.close?.()
  if (found.kind === 'found') return
  io.stdout.write('No model is configured yet.\n')
  const code = await setupAtTerminal(io, home)
  if (code !== 0)
    throw new CadreError('cancelled', 'no model is configured. Run "cadre setup" to choose one.')
}
