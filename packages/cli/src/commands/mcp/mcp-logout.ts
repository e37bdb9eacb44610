import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { nameOf, openServersFor, requireServer, type ServerFlags } from './folder-servers.ts'
import { forgetSecrets } from './mcp-remove.ts'

/** `cadre mcp logout`. */
export async function logOutOfServer(io: Io, flags: ServerFlags, name: string): Promise<ExitCode> {
  const server = requireServer(await openServersFor(io, flags), name)
  await forgetSecrets(io, server)
  const shown = nameOf(server)
  if (flags.json) io.stdout.write(`${JSON.stringify({ type: 'logout', server: shown })}\n`)
  else io.stdout.write(`${cleanLine(`Removed the sign-in and the values of the MCP server ${shown}.`)}\n`)
  return exitCodes.done
}
