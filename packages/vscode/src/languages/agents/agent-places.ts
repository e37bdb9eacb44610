import { homedir } from 'node:os'
import path from 'node:path'
import { nearestHome } from '../../home/nearest-home.ts'

export interface AgentPlaces {
  readonly home?: string
  readonly userHome: string
  readonly project?: string
}

/**
 * Returns the places of agents that a file may name. The home may be that of a parent folder, or a configured one, as for a
 * run.
 */
export function agentPlaces(
  file: string,
  folder: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): AgentPlaces {
  const home = nearestHome(folder ?? path.dirname(file), env)
  return {
    userHome: env['HOME'] || homedir(),
    ...(home !== undefined && { home }),
    ...(folder !== undefined && { project: folder }),
  }
}

/** Returns the places that may be read: in Restricted Mode only the user's own, and a home only if it is trusted. */
export function readablePlaces(
  { home, userHome, project }: AgentPlaces,
  trust: { readonly isTrusted: boolean; readonly homes: readonly string[] },
): AgentPlaces {
  if (!trust.isTrusted) return { userHome }
  const isUsed = home !== undefined && trust.homes.some((one) => path.resolve(one) === path.resolve(home))
  return { userHome, ...(isUsed && { home }), ...(project !== undefined && { project }) }
}
