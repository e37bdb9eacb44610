import { createAgents } from '@cadre/agents'
import { messageOf } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import type { Home, Policy } from '@cadre/home'
import { identityOf, inputAccount, inputsOf, type ServerConfig } from '@cadre/mcp'
import { agentPaths, findServers, projectOf, type Settings, serverStores } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { formatCount } from '../../output/numbers.ts'
import { type Check, ok, warn } from './check.ts'

/** Checks the configuration of MCP servers. Starts none. */
export async function checkServers(
  io: Io,
  home: Home,
  { settings, policy }: { readonly settings: Settings | undefined; readonly policy: Policy },
): Promise<Check[]> {
  const found = findServers(io, {
    ...{ project: projectOf(io.cwd), workspace: io.cwd, configured: settings?.servers },
    agents: policy.customAgents ? createAgents(agentPaths(io, home, io.cwd)).list() : [],
    discover: settings?.config.mcp?.discover,
  })
  const { servers, diagnostics, folderServers } = found
  const faults = diagnostics.map((one) => warn('mcp', showDiagnostic(one), 'Fix the file.'))
  if (servers.length === 0) return faults.length > 0 ? faults : [ok('mcp', 'no servers')]
  if (!policy.mcp) return [...faults, ok('mcp', 'a policy forbids MCP servers')]
  const checks = await Promise.all(servers.map((server) => checkServer(io, server)))
  const inSandbox = servers.filter((server) => server.sandbox ?? folderServers.has(identityOf(server))).length
  const sandboxed = inSandbox === 0 ? '' : `, ${inSandbox} in the sandbox`
  const summary = `${formatCount(servers.length, 'server')}${sandboxed}; list them with "cadre mcp list", test one with "cadre mcp test NAME"`
  return [ok('mcp', summary), ...faults, ...checks.flat()]
}

async function checkServer(io: Io, server: ServerConfig): Promise<Check[]> {
  const { approvedTools, secrets } = serverStores(io)
  const { name } = server
  const missing: string[] = []
  for (const id of inputsOf(server))
    if ((await secrets.read(inputAccount(server, id))) === undefined) missing.push(id)
  const checks = missing.map((id) =>
    warn('mcp', `${name}: the input ${JSON.stringify(id)} has no value`, `Run "cadre mcp login ${name}".`),
  )
  try {
    const pending = approvedTools.of(server)?.pending ?? []
    if (pending.length === 0) return checks
    const what = `${name}: ${formatCount(pending.length, 'new or changed tool')} waiting for your approval`
    return [...checks, warn('mcp', what, `Run "cadre mcp approve ${name}".`)]
  } catch (error) {
    return [...checks, warn('mcp', `${name}: ${messageOf(error)}`)]
  }
}
