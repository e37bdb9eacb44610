import { homedir } from 'node:os'
import path from 'node:path'
import { nearestHome } from '../../home/nearest-home.ts'

export interface AgentPlaces {
  readonly home?: string
  readonly userHome: string
  readonly project?: string
}

/** Where the agents are that a file may name. The home can be that of a folder above, or a chosen one, as for a run. */
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
