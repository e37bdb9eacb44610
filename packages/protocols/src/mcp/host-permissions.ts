import { loadConfig } from '@cadre/home'
import { type Environment, userPaths } from '@cadre/runtime'
import type { HostClient } from './host-tool.ts'

/** What a host may do besides delegating work. */
export interface HostPermissions {
  /** True if its model may decide approvals in delegated runs. */
  readonly decide: boolean
  /** True if it may show approvals to its user as a form. */
  readonly ask: boolean
}

/**
 * Reads a host's permissions from the user's configuration. A home's configuration cannot grant them, because it can come from a
 * repository. If the configuration cannot be read, the host gets no permissions.
 */
export async function permissionsOf({ env }: Environment, { name }: HostClient): Promise<HostPermissions> {
  try {
    const { config } = await loadConfig({ userConfig: userPaths(env).config })
    const allows = (names: readonly string[] | undefined) =>
      names?.some((one) => one === '*' || (name !== '' && one === name)) === true
    return { decide: allows(config.mcp?.decide), ask: allows(config.mcp?.ask) }
  } catch {
    return { decide: false, ask: false }
  }
}
