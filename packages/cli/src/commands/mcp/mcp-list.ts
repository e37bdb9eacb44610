import { shownPath } from '@cadre/agents'
import { messageOf } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import {
  describeServer,
  expandServer,
  hiddenCodeWarning,
  identityOf,
  inputAccount,
  inputsOf,
  readSignIn,
  type ServerConfig,
} from '@cadre/mcp'
import { type RunParts, serverStores, userPaths } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { formatCount } from '../../output/numbers.ts'
import { availableWidth, textTable } from '../../output/text-table.ts'
import { truncateText } from '../../output/text-width.ts'
import { nameOf, openServersFor, type ServerFlags } from './folder-servers.ts'

const maxWidth = 60

interface ListedServer {
  readonly name: string
  readonly scope: ServerConfig['scope']
  readonly agent?: string
  readonly file: string
  /** The command line or the address. */
  readonly runs: string
  /** `ready`, or why agents cannot use it. */
  readonly status: string
  readonly sandboxed: boolean
  /** Why it can run the workspace's files outside the sandbox. */
  readonly warning?: string
  readonly signedIn?: boolean
  /** The approved tools that agents can use. */
  readonly tools: readonly string[]
  /** Tools that are new or have changed since they were approved. */
  readonly pending: readonly string[]
}

/** `cadre mcp list`. */
export async function listServers(io: Io, flags: ServerFlags): Promise<ExitCode> {
  const parts = await openServersFor(io, flags)
  const { diagnostics, servers: all } = parts.servers.found
  const servers = await Promise.all(all.map((server) => describe(io, server, parts)))
  if (flags.json) {
    io.stdout.write(`${JSON.stringify({ servers, diagnostics })}\n`)
    return exitCodes.done
  }
  if (servers.length === 0)
    io.stdout.write(
      'No MCP servers are configured. Add one with "cadre mcp add"; see "cadre mcp add --help".\n',
    )
  else {
    const rows = servers.map((server, at) =>
      [
        nameOf(all[at] as ServerConfig),
        `${shownPath(io.cwd, server.file)} (${server.scope})`,
        truncateText(cleanLine(server.runs), maxWidth),
        String(server.tools.length),
        server.status,
      ].map(cleanLine),
    )
    io.stdout.write(textTable(['NAME', 'FROM', 'RUNS', 'TOOLS', 'STATUS'], rows, availableWidth(io.stdout)))
  }
  const warnings = servers.flatMap(({ warning }) => (warning === undefined ? [] : [warning]))
  if (warnings.length > 0)
    io.stdout.write(`\nWarnings:\n${warnings.map((text) => `  ${cleanLine(text)}\n`).join('')}`)
  if (diagnostics.length > 0) {
    const lines = diagnostics.map(
      (found) => `  ${cleanLine(showDiagnostic({ ...found, path: shownPath(io.cwd, found.path) }))}\n`,
    )
    io.stdout.write(`\nNotes:\n${lines.join('')}`)
  }
  return exitCodes.done
}

async function describe(io: Io, server: ServerConfig, { servers, tools }: RunParts): Promise<ListedServer> {
  const { name, scope, agent, file, reach } = server
  const { approvedTools, secrets } = serverStores(io)
  let stored: ReturnType<typeof approvedTools.of>
  let fault: string | undefined
  try {
    stored = approvedTools.of(server)
  } catch (error) {
    fault = messageOf(error)
  }
  const signedIn =
    reach.kind === 'address' ? (await readSignIn(server, secrets)).tokens !== undefined : undefined
  const pending = (stored?.pending ?? []).map((tool) => tool.name)
  const missing = await missingValues(io, server, secrets)
  const sandboxed = server.sandbox ?? servers.found.folderServers.has(identityOf(server))
  const warning = sandboxed ? undefined : hiddenCodeWarning(server)
  return {
    name,
    scope,
    ...(agent !== undefined && { agent }),
    file,
    runs: describeServer(server),
    status: statusOf(),
    sandboxed,
    ...(warning !== undefined && { warning }),
    ...(signedIn !== undefined && { signedIn }),
    tools: tools.flatMap(({ server: of }) =>
      of !== undefined && of.name === name && of.agent === agent ? [of.tool] : [],
    ),
    pending,
  }

  function statusOf(): string {
    if (servers.blocked !== undefined) return `not used: ${servers.blocked}`
    if (fault !== undefined) return fault
    if (missing.length > 0)
      return `${missing.join(', ')} has no value; run "cadre mcp login ${nameOf(server)}"`
    if (stored === undefined) return 'not used yet'
    return pending.length > 0
      ? `${formatCount(pending.length, 'tool')} to approve: run "cadre mcp approve ${nameOf(server)}"`
      : 'ready'
  }
}

async function missingValues(
  io: Io,
  server: ServerConfig,
  secrets: ReturnType<typeof serverStores>['secrets'],
): Promise<readonly string[]> {
  const inputs = new Map<string, string | undefined>()
  for (const id of inputsOf(server)) inputs.set(id, await secrets.read(inputAccount(server, id)))
  const values = { env: io.env, workspace: io.cwd, userHome: userPaths(io.env).home }
  const expanded = expandServer(server, { ...values, input: (id) => inputs.get(id) })
  return expanded.kind === 'unresolved' ? expanded.references : []
}
