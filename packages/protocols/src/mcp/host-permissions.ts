import { loadConfig } from '@cadre/home'
import { type Environment, userPlaces } from '@cadre/runtime'
import type { HostClient } from './host-tool.ts'

/** What a host may do besides delegating work. */
export interface HostPermissions {
  /** Its model may decide approvals of the runs that hosts delegated. */
  readonly decide: boolean
  /** It may show approvals to its user as a form. */
  readonly ask: boolean
}

/**
 * Reads the permissions of a host from the configuration of the user. The configuration of a home cannot grant them, because it can come
 * from a repository. A configuration that cannot be read grants nothing.
 */
export async function permissionsOf({ env }: Environment, { name }: HostClient): Promise<HostPermissions> {
  try {
    const { config } = await loadConfig({ userConfig: userPlaces(env).config })
    const allows = (names: readonly string[] | undefined) =>
      names?.some((one) => one === '*' || (name !== '' && one === name)) === true
    return { decide: allows(config.mcp?.decide), ask: allows(config.mcp?.ask) }
  } catch {
    return { decide: false, ask: false }
  }
}
