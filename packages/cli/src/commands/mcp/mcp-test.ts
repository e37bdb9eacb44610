import { CadreError, messageOf, plainText, sentenceOf } from '@cadre/core'
import { compareWithApproved } from '@cadre/mcp'
import { serverStores } from '@cadre/runtime'
import { type ExitCode, exitCodeForError, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { nameOf, openServersFor, requireServer, requireUsable, type ServerFlags } from './folder-servers.ts'

/** `cadre mcp test`. */
export async function testServer(io: Io, flags: ServerFlags, name: string): Promise<ExitCode> {
  const parts = await openServersFor(io, flags)
  const server = requireServer(parts, name)
  const shown = nameOf(server)
  const fail = (error: unknown) => {
    const reason = plainText(messageOf(error), 2_000)
    if (flags.json)
      io.stdout.write(`${JSON.stringify({ server: shown, status: 'failed', reason, tools: [] })}\n`)
    else io.warn(`the MCP server ${shown} cannot be used: ${sentenceOf(reason)}`)
  }
  try {
    requireUsable(parts)
  } catch (error) {
    fail(error)
    return exitCodeForError(error instanceof CadreError ? error.code : '')
  }
  try {
    const connection = await parts.servers.connect(server)
    try {
      const listed = await connection.list()
      const stored = serverStores(io).approvedTools.of(server)
      const same = new Set(compareWithApproved(stored?.tools ?? [], listed).tools.map((tool) => tool.name))
      const known = new Set(stored?.tools.map((tool) => tool.name))
      const stateOf = (tool: string) =>
        stored === undefined || same.has(tool) ? 'ready' : known.has(tool) ? 'changed' : 'new'
      const tools = listed.map((tool) => ({ name: plainText(tool.name, 128), state: stateOf(tool.name) }))
      const { revision } = connection
      if (flags.json) io.stdout.write(`${JSON.stringify({ server: shown, status: 'ok', revision, tools })}\n`)
      else {
        const lines = tools.map(({ name: tool, state }) => `${tool}${state === 'ready' ? '' : ` (${state})`}`)
        io.stdout.write(
          `The MCP server ${cleanLine(shown)} works: protocol ${cleanLine(revision ?? 'unknown')}, ${tools.length === 1 ? '1 tool' : `${tools.length} tools`}.\n${lines.map((line) => `  ${cleanLine(line)}\n`).join('')}`,
        )
        if (tools.some(({ state }) => state !== 'ready'))
          io.stdout.write(
            `Agents cannot use new and changed tools. Run "cadre mcp approve ${cleanLine(shown)}".\n`,
          )
      }
      return exitCodes.done
    } finally {
      await connection.close()
    }
  } catch (error) {
    fail(error)
    return exitCodes.failed
  } finally {
    await parts.servers.close()
  }
}
