import type { Config } from '../config/config.ts'
import type { Policy } from './policy.ts'

/** Adds the model aliases of the policy to the configuration. They take precedence. */
export function withModelAliases(config: Config, { modelAliases }: Pick<Policy, 'modelAliases'>): Config {
  const decided = new Set(Object.keys(modelAliases).map((name) => name.toLowerCase()))
  if (decided.size === 0) return config
  const others = Object.entries(config.aliases ?? {}).filter(([name]) => !decided.has(name.toLowerCase()))
  return { ...config, aliases: { ...Object.fromEntries(others), ...modelAliases } }
}
