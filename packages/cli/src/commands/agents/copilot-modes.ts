import type { ServerMode } from '@cadre/backends'
import type { Config } from '@cadre/home'
import type { Io } from '../../io.ts'

/** Milliseconds for the language server. A list of agents must not wait for it longer, and does not need it. */
const limit = 3000

/**
 * The modes that can be chosen for models of the Copilot language server, when runs here would use it: it is installed, somebody may be signed in, and no other backend
 * is chosen. They follow from its version, so it is asked once.
 */
export async function copilotModes(io: Io, config: Config): Promise<readonly ServerMode[]> {
  const { env } = io
  const chosen = env['CADRE_MODEL'] || config.model
  // A bare name may be one of Copilot's.
  if (chosen?.includes(':') && !chosen.startsWith('copilot-ls:')) return []
  const { chatModes, installedServer, mayBeSignedIn, recall, surveyCopilot } = await import('@cadre/backends')
  const configured = config.copilot?.server
  const server = installedServer({ env, configured })
  if (server === undefined || !mayBeSignedIn(env)) return []
  const { modes } = recall(env)
  const known = modes !== undefined && modes.version === server.version ? modes.list : undefined
  const found = known ?? (await surveyCopilot({ env, configured, limit }))?.modes ?? []
  const choosable: readonly string[] = chatModes
  // Ids differ where names repeat: the server has two modes called Agent.
  return found.filter(({ id }) => choosable.includes(id)).map((mode) => ({ ...mode, name: mode.id }))
}
