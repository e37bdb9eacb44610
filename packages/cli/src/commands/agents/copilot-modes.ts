import type { ServerMode } from '@cadre/backends'
import type { Config } from '@cadre/home'
import type { Io } from '../../io.ts'

/** The timeout for the language server, in milliseconds. A list of agents does not need it. */
const limit = 3000

/**
 * The modes for models of the Copilot language server, if runs here would use it: it is installed, a user may be signed in,
 * and no other backend is chosen. They depend only on its version, so they are requested once.
 */
export async function copilotModes(io: Io, config: Config): Promise<readonly ServerMode[]> {
  const { env } = io
  const chosen = env['CADRE_MODEL'] || config.model
  // A bare name may be a Copilot model.
  if (chosen?.includes(':') && !chosen.startsWith('copilot-ls:')) return []
  const {
    chatModes,
    installedServer,
    mayBeSignedIn,
    readCache: recall,
    inspectCopilot,
  } = await import('@cadre/backends')
  const configured = config.copilot?.server
  const server = installedServer({ env, configured })
  if (server === undefined || !mayBeSignedIn(env)) return []
  const { modes } = recall(env)
  const known = modes !== undefined && modes.version === server.version ? modes.list : undefined
  const found = known ?? (await inspectCopilot({ env, configured, limit }))?.modes ?? []
  const choosable: readonly string[] = chatModes
  // Ids are unique, but names are not: the server has two modes named Agent.
  return found.filter(({ id }) => choosable.includes(id)).map((mode) => ({ ...mode, name: mode.id }))
}
