import type { Effect } from '@cadre/core'
import { commandLimitKeys, defaultCommandLimits } from './command-limits.ts'
import { permitsMore } from './effects-of.ts'
import { defaultEffects, type Permission } from './policy.ts'
import type { PolicyFile } from './read-policy-file.ts'

const effects = Object.keys(defaultEffects) as Effect[]

/**
 * Returns the keys with which a file permits more than the defaults. In a project's policy, which may come from a cloned repository, they
 * apply only if a person trusts them.
 */
export function keysThatPermitMore(file: Pick<PolicyFile, 'get'>): string[] {
  const looser = effects
    .map((effect) => ({ key: `effects.${effect}`, effect }))
    .filter(({ key, effect }) => {
      const said = file.get(key) as Permission | undefined
      return said !== undefined && permitsMore(said, defaultEffects[effect])
    })
    .map(({ key }) => key)
  const names = file.get('environment')
  const raised = commandLimitKeys
    .filter((key) => Number(file.get(`commands.${key}`) ?? 0) > defaultCommandLimits[key])
    .map((key) => `commands.${key}`)
  return [
    ...looser,
    ...(file.get('network') === 'allow' ? ['network'] : []),
    ...(Array.isArray(names) && names.length > 0 ? ['environment'] : []),
    ...raised,
    ...(file.get('models.aliases') === undefined ? [] : ['models.aliases']),
  ]
}

/** Returns the file without these keys. */
export function withoutKeys(file: PolicyFile, keys: readonly string[]): PolicyFile {
  return { ...file, get: (key) => (keys.includes(key) ? undefined : file.get(key)) }
}
