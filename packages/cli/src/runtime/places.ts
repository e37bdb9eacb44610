import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import type { Io } from '../io.ts'

/** Folders and files of the person who runs the command. */
export interface UserPlaces {
  readonly home: string
  readonly config: string
  readonly policy: string
  readonly trust: string
}

export function userPlaces(env: Io['env']): UserPlaces {
  const home = env['HOME'] || homedir()
  const folder = path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'cadre')
  return {
    home,
    config: path.join(folder, 'config.yaml'),
    policy: path.join(folder, 'policy.yaml'),
    trust: path.join(folder, 'trust.yaml'),
  }
}

/** The project a folder belongs to: the nearest one upward that is under git, else the folder itself. */
export function projectOf(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) return at
    if (path.dirname(at) === at) return folder
  }
}
