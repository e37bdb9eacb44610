import { CadreError } from '@cadre/core'
import { rawOf, removeSetting, textOf } from '@cadre/disk'
import { editFile } from '@cadre/home'
import { inputAccount, inputsOf, type ServerConfig, signInAccount } from '@cadre/mcp'
import { serverStores } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { configPaths } from '../config/config-rows.ts'
import { openServersFor, requireServer } from './folder-servers.ts'

export interface RemoveFlags {
  readonly home?: string
  readonly json?: boolean
}

/** `cadre mcp remove`. */
export async function removeServer(io: Io, flags: RemoveFlags, name: string): Promise<ExitCode> {
  const server = requireServer(await openServersFor(io, flags), name)
  const { user, project } = await configPaths(io, flags.home)
  const { file } = server
  if (file !== user && file !== project)
    throw new CadreError(
      'configuration',
      `the MCP server ${name} is configured in ${file}, which belongs to another program. Remove it there, or set mcp.discover to false in config.yaml.`,
    )
  editFile(file, (raw) => {
    const changed = removeSetting(raw === undefined ? '' : textOf(raw), {
      path: file,
      keys: ['mcp', 'servers', server.name],
    })
    if (changed.kind === 'refused') throw new CadreError('configuration', changed.reason)
    return changed.kind === 'same' ? undefined : rawOf(changed.text)
  })
  serverStores(io).approvedTools.remove(server)
  await forgetSecrets(io, server)
  if (flags.json) io.stdout.write(`${JSON.stringify({ type: 'mcp', server: name, file, removed: true })}\n`)
  else io.stdout.write(`${cleanLine(`Removed the MCP server ${name} from ${file}.`)}\n`)
  return exitCodes.done
}

/** Removes the sign-in and the values of a server from the secret store. */
export async function forgetSecrets(io: Io, server: ServerConfig): Promise<void> {
  const { secrets } = serverStores(io)
  await secrets.remove(signInAccount(server))
  for (const id of inputsOf(server)) await secrets.remove(inputAccount(server, id))
}
