import type { Config } from '../config/config.ts'
import type { Policy } from './policy.ts'

/** The configuration, with what the policy says names of models stand for: that comes first. */
export function withModelAliases(config: Config, { modelAliases }: Pick<Policy, 'modelAliases'>): Config {
  const decided = new Set(Object.keys(modelAliases).map((name) => name.toLowerCase()))
  if (decided.size === 0) return config
  const others = Object.entries(config.aliases ?? {}).filter(([name]) => !decided.has(name.toLowerCase()))
  return { ...config, aliases: { ...Object.fromEntries(others), ...modelAliases } }
}
