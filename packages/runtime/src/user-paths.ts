import { homedir } from 'node:os'
import path from 'node:path'
import type { AgentPaths } from '@cadre/agents'
import { repositoryOf } from '@cadre/disk'
import { type Home, openHome, openUserHomes } from '@cadre/home'
import type { Environment } from './environment.ts'

/** The folder with the administrator's hooks, for all users of this machine. No setting can change it. */
export const policyHooks = '/etc/cadre/hooks.d'

/** Folders and files of the user. */
export interface UserPaths {
  readonly home: string
  readonly config: string
  readonly policy: string
  readonly trust: string
  /** The file that lists the homes that this user created or adopted. */
  readonly homes: string
  /** The flags that were recorded for individual runs. */
  readonly grants: string
  /** The folder for data of this user outside all projects. */
  readonly state: string
  readonly allowlist: string
  /** Approved tools and secrets of MCP servers. */
  readonly servers: string
}

export function userPaths(env: Environment['env']): UserPaths {
  const home = env['HOME'] || homedir()
  const folder = path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'cadre')
  return {
    home,
    config: path.join(folder, 'config.yaml'),
    policy: path.join(folder, 'policy.yaml'),
    trust: path.join(folder, 'trust.yaml'),
    homes: path.join(folder, 'homes.jsonl'),
    grants: path.join(folder, 'grants'),
    state: path.join(env['XDG_STATE_HOME'] || path.join(home, '.local', 'state'), 'cadre'),
    allowlist: path.join(folder, 'terminal-cmd-allowlist.yaml'),
    servers: path.join(folder, 'mcp'),
  }
}

/**
 * The home that a command uses. `wanted` is the value of `--home`. If the command creates the home, Cadre records it as the user's own.
 * With `--trust`, Cadre ignores errors when it writes this record.
 */
export function homeOf({ cwd, env }: Environment, wanted: string | undefined, trust = false): Home {
  const created = (home: string) => {
    try {
      openUserHomes(userPaths(env).homes).add(home)
    } catch (error) {
      if (!trust && env['CADRE_TRUST'] !== '1') throw error
    }
  }
  return openHome({ cwd, env, created, ...(wanted && { home: wanted }) })
}

/** The project of a folder: the nearest git repository that contains it, or else the folder itself. */
export function projectOf(folder: string): string {
  return repositoryOf(folder) ?? folder
}

/** The places where a run in this folder searches for agents. */
export function agentPaths(io: Environment, home: Home, folder: string): AgentPaths {
  return { home: home.path, project: projectOf(folder), userHome: userPaths(io.env).home }
}
