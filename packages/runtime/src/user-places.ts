import { homedir } from 'node:os'
import path from 'node:path'
import type { AgentPlaces } from '@cadre/agents'
import { repositoryOf } from '@cadre/disk'
import { type Home, openHome, openOwnHomes } from '@cadre/home'
import type { Environment } from './environment.ts'

/** Where the administrator's hooks are, for everybody on this machine. Nothing can name another place. */
export const policyHooks = '/etc/cadre/hooks.d'

/** Folders and files of the person who runs the command. */
export interface UserPlaces {
  readonly home: string
  readonly config: string
  readonly policy: string
  readonly trust: string
  /** Which homes this user created or adopted. */
  readonly homes: string
  /** Flags that were recorded for single runs. */
  readonly grants: string
  /** What Cadre keeps for this user outside of every project. */
  readonly state: string
  readonly allowlist: string
}

export function userPlaces(env: Environment['env']): UserPlaces {
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
  }
}

/**
 * The home that this command works with; `wanted` is `--home`. When the command creates it, it is recorded as the user's own. With
 * `--trust` a record that cannot be written does not matter.
 */
export function homeOf({ cwd, env }: Environment, wanted: string | undefined, trust = false): Home {
  const created = (home: string) => {
    try {
      openOwnHomes(userPlaces(env).homes).add(home)
    } catch (error) {
      if (!trust && env['CADRE_TRUST'] !== '1') throw error
    }
  }
  return openHome({ cwd, env, created, ...(wanted && { home: wanted }) })
}

/** The project a folder belongs to: the nearest one upward that is under git, else the folder itself. */
export function projectOf(folder: string): string {
  return repositoryOf(folder) ?? folder
}

/** Where the agents are that a run in this folder finds. */
export function agentPlaces(io: Environment, home: Home, folder: string): AgentPlaces {
  return { home: home.path, project: projectOf(folder), userHome: userPlaces(io.env).home }
}
