import type { Environment } from '../child-environment.ts'

/** Calls of Cadre's tools, and their token, must not leave this machine through a proxy. */
export function withoutProxy(env: Environment): Environment {
  if (!Object.keys(env).some((name) => /^(https?|all)_proxy$/i.test(name))) return env
  const list = [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1', 'localhost'].filter(Boolean).join(',')
  return { ...env, NO_PROXY: list, no_proxy: list }
}
