import { readdirSync } from 'node:fs'
import { listTeams } from '@cadre/agents'
import { listAllModels } from '@cadre/backends'
import { configKeys } from '@cadre/home'
import {
  assistant,
  findAvailableAgents,
  findServers,
  homeOf,
  loadSettings,
  projectOf,
  untrustedItems,
} from '@cadre/runtime'
import type { Io } from '../io.ts'

type Propose = (io: Io) => Promise<readonly string[]> | readonly string[]

/** The longest wait for the models of a server, in milliseconds. */
const timeoutMs = 1500

/** Completions by the placeholder of a flag or an argument. */
export const completions: { readonly [placeholder: string]: Propose } = {
  AGENT: agents,
  agent: agents,
  TEAM: teams,
  MODEL: models,
  EFFECT: () => ['write', 'execute', 'outbound'],
  server: servers,
  key: () => configKeys().filter((key) => !key.includes('NAME')),
  session: (io) => namesIn(io, ['sessions'], '.session.yaml'),
  approval: (io) => namesIn(io, ['approvals', 'pending'], '.approval.md'),
}

/** Returns the values for a placeholder. Empty on errors, which a shell would not show. */
export async function completionsFor(placeholder: string | undefined, io: Io): Promise<readonly string[]> {
  const propose = placeholder === undefined ? undefined : completions[placeholder]
  try {
    return (await propose?.(io)) ?? []
  } catch {
    return []
  }
}

async function agents(io: Io): Promise<readonly string[]> {
  const { registry } = await findAvailableAgents(io, {})
  return [...registry.list().filter(({ userInvocable }) => userInvocable !== false), assistant].map(
    ({ name }) => name,
  )
}

async function servers(io: Io): Promise<readonly string[]> {
  const { registry } = await findAvailableAgents(io, {})
  const home = homeOf(io, undefined)
  const homeTrusted = (await untrustedItems(io, home)).length === 0
  const { servers: configured, config } = await loadSettings(io, home, { homeTrusted })
  const project = projectOf(io.cwd)
  const found = findServers(io, {
    ...{ project, workspace: io.cwd, agents: registry.list(), configured },
    discover: config.mcp?.discover,
  })
  return found.servers.map(({ name, agent }) => (agent === undefined ? name : `${agent}/${name}`))
}

function teams(): readonly string[] {
  return listTeams().flatMap(({ name, variants }) => [
    name,
    ...variants.map((variant) => `${name}/${variant.name}`),
  ])
}

async function models(io: Io): Promise<readonly string[]> {
  const home = homeOf(io, undefined)
  const homeTrusted = (await untrustedItems(io, home)).length === 0
  const { config } = await loadSettings(io, home, { homeTrusted })
  const listed = await listAllModels({ config, env: io.env, cwd: io.cwd, limit: timeoutMs })
  return [
    ...Object.keys(config.aliases ?? {}),
    ...listed.flatMap((backend) => backend.models.map(({ id }) => id)),
  ]
}

/** Uses only file names, because a shell is waiting. */
function namesIn(io: Io, folder: readonly string[], ending: string): readonly string[] {
  return readdirSync(homeOf(io, undefined).at(...folder)).flatMap((name) =>
    name.endsWith(ending) ? [name.slice(0, -ending.length)] : [],
  )
}
