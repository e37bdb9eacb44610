import type { Notice, Tool } from '@cadre/core'
import type { Home, Policy } from '@cadre/files'
import type { Guard } from '@cadre/gate'
import { ownArtifact } from '@cadre/gate'
import type { Settings } from './load-settings.ts'

export interface LoadedTools {
  readonly tools: readonly Tool[]
  readonly notices: readonly Notice[]
}

export interface ToolsRequest {
  readonly home: Home
  readonly settings: Settings
  /** Absent where tools are only looked at. */
  readonly guard?: Pick<Guard, 'places' | 'hiddenIn' | 'unreadableIn' | 'sandbox'>
  readonly policy?: Pick<Policy, 'network' | 'environment' | 'commands'>
  readonly tell?: ((message: string) => void) | undefined
}

/** The built-in tools, and those that the configuration names and a person trusts. */
export async function loadTools(request: ToolsRequest): Promise<LoadedTools> {
  const { home, guard, policy } = request
  const { config, trust } = request.settings
  const { combineTools, createTools, loadCustomTools } = await import('@cadre/tools')
  const builtIn = createTools({
    home: home.path,
    own: ownArtifact,
    ...(guard && { places: guard.places, hiddenIn: guard.hiddenIn }),
    commands: {
      home,
      ...(guard && { sandbox: guard.sandbox, unreadableIn: guard.unreadableIn }),
      ...(policy && ceilingsOf(policy)),
      ...(request.tell && { tell: request.tell }),
    },
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

function ceilingsOf({
  network,
  environment,
  commands,
}: Pick<Policy, 'network' | 'environment' | 'commands'>) {
  const { timeoutSeconds, outputKilobytes } = commands
  return {
    network,
    environment,
    ...(timeoutSeconds !== undefined && { mostSeconds: timeoutSeconds }),
    ...(outputKilobytes !== undefined && { mostOutput: outputKilobytes * 1024 }),
  }
}
