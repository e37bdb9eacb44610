import { existsSync } from 'node:fs'
import path from 'node:path'
import { openHome, openUserHomes } from '@cadre/home'

export interface OwnHomeRequest {
  readonly cwd: string
  /** The environment of the command that will use the home: HOME determines its owner. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly args?: readonly string[]
}

/** Records a home that a test has created as the user's own, as `cadre` does when it creates one. */
export function recordOwnHome({ cwd, env, args = [] }: OwnHomeRequest): void {
  const named = args.indexOf('--home')
  const home = named < 0 ? undefined : args[named + 1]
  const { path: place } = openHome({ cwd, env, ...(home !== undefined && { home }) })
  if (!existsSync(place)) return
  const settings = env['XDG_CONFIG_HOME'] || path.join(env['HOME'] ?? '', '.config')
  openUserHomes(path.join(settings, 'cadre', 'homes.jsonl')).add(place)
}
