import type { Notice, Tool } from '@cadre/core'
import type { Home } from '@cadre/files'
import type { Settings } from './load-settings.ts'

export interface LoadedTools {
  readonly tools: readonly Tool[]
  readonly notices: readonly Notice[]
}

/** The built-in tools, and those that the configuration names and a person trusts. */
export async function loadTools(home: Home, { config, trust }: Settings): Promise<LoadedTools> {
  const { combineTools, createTools, loadCustomTools } = await import('@cadre/tools')
  const builtIn = createTools({
    home: home.path,
    ...(config.check && { check: config.check }),
    ...(config.web && { web: config.web }),
  })
  if (config.tools === undefined) return { tools: builtIn, notices: [] }
  const custom = await loadCustomTools({
    modules: config.tools,
    base: home.path,
    trusted: (module) => trust.trustsModule(module),
  })
  const { tools, reports } = combineTools([builtIn, custom.tools])
  const faults = custom.faults.map(({ message }) => ({ code: 'configuration', message }))
  return { tools, notices: [...faults, ...reports] }
}
