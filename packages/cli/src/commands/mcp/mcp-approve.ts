import { CadreError, messageOf, plainText } from '@cadre/core'
import { describeChanges, type ServerConfig, type ServerToolDefinition, type ToolChange } from '@cadre/mcp'
import { type RunParts, serverStores } from '@cadre/runtime'
import { structuredPatch } from 'diff'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { createTerminalUser } from '../login/terminal-user.ts'
import { nameOf, openServersFor, requireServer, requireUsable, type ServerFlags } from './folder-servers.ts'

export interface ApproveFlags extends ServerFlags {
  readonly yes?: boolean
}

/** `cadre mcp approve`. */
export async function approveServer(io: Io, flags: ApproveFlags, name: string): Promise<ExitCode> {
  const parts = await openServersFor(io, flags)
  const server = requireServer(parts, name)
  const shown = nameOf(server)
  requireUsable(parts)
  const listed = await listTools(parts, server)
  const { approvedTools } = serverStores(io)
  const approved = approvedTools.of(server)?.tools ?? []
  const changes = describeChanges(server.name, approved, listed)
  if (changes.length === 0) {
    approvedTools.save(server, { tools: listed, pending: [] })
    print(io, flags, { shown, changes, isApproved: true })
    return exitCodes.done
  }
  if (!flags.json) io.stdout.write(changes.map(textOf).join('\n'))
  const person = createTerminalUser(io, flags.json === true)
  try {
    const isApproved =
      flags.yes ??
      (await person.confirm(
        `Approve ${changes.length === 1 ? 'this change' : `these ${changes.length} changes`}? y/N: `,
      )) ??
      false
    if (isApproved) approvedTools.save(server, { tools: listed, pending: [] })
    print(io, flags, { shown, changes, isApproved })
    return isApproved ? exitCodes.done : exitCodes.waiting
  } finally {
    person.leave()
  }
}

async function listTools(parts: RunParts, server: ServerConfig): Promise<readonly ServerToolDefinition[]> {
  const { servers } = parts
  try {
    const connection = await servers.connect(server)
    try {
      return await connection.list()
    } finally {
      await connection.close()
    }
  } catch (error) {
    throw new CadreError(
      'backend',
      `cannot list the tools of the MCP server ${nameOf(server)}: ${plainText(messageOf(error), 1_000)}.`,
    )
  } finally {
    await servers.close()
  }
}

interface Approval {
  readonly shown: string
  readonly changes: readonly ToolChange[]
  readonly isApproved: boolean
}

function print(io: Io, { json }: ApproveFlags, { shown, changes, isApproved }: Approval): void {
  const namesOf = (kind: ToolChange['kind']) =>
    changes.filter((change) => change.kind === kind).map((change) => change.name)
  if (json) {
    const line = {
      server: shown,
      new: namesOf('new'),
      changed: namesOf('changed'),
      removed: namesOf('removed'),
    }
    io.stdout.write(`${JSON.stringify({ ...line, approved: isApproved })}\n`)
    return
  }
  const text =
    changes.length === 0
      ? `All tools from the MCP server ${shown} are approved.`
      : isApproved
        ? `Agents can now use the shown tools from the MCP server ${shown}.`
        : 'Nothing was approved. Approve with --yes, or answer in a terminal.'
  io.stdout.write(`${cleanLine(text)}\n`)
}

/** The difference as lines, with - and +. */
function textOf({ name, kind, before, after }: ToolChange): string {
  const head = `${cleanLine(name)} (${kind})\n`
  if (kind === 'removed') return head
  const { hunks } = structuredPatch('', '', before.join('\n'), after.join('\n'), '', '', { context: 2 })
  const lines = kind === 'new' ? after.map((line) => `+${line}`) : hunks.flatMap((hunk) => hunk.lines)
  return head + lines.map((line) => `  ${cleanLine(line)}\n`).join('')
}
