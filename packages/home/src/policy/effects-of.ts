import type { Effect } from '@cadre/core'
import { defaultEffects, type Effects, type Permission, type Policy } from './policy.ts'

const strictness: { readonly [permission in Permission]: number } = { allow: 0, ask: 1, deny: 2 }

export interface EffectsRequest {
  readonly policy: Pick<Policy, 'effects' | 'beforehand' | 'decidedBy'>
  /** The permissions of the built-in team in use. */
  readonly team?: Partial<Effects> | undefined
  /** Effects that a person allows for one run: `--allow write`. */
  readonly allow?: readonly Effect[] | undefined
}

/** The stricter of two permissions. */
function stricterOf(a: Permission, b: Permission): Permission {
  return strictness[a] >= strictness[b] ? a : b
}

export function permitsMore(a: Permission, b: Permission): boolean {
  return strictness[a] < strictness[b]
}

/**
 * Returns the permissions of a run. A team or flag changes an effect only if no policy sets it. If the policy forbids decisions beforehand,
 * every effect except reading needs approval.
 */
export function effectsOf({ policy, team = {}, allow = [] }: EffectsRequest): Effects {
  const one = (effect: Effect): Permission => {
    const isSaid = policy.decidedBy.has(`effects.${effect}`)
    const wanted = allow.includes(effect) ? 'allow' : (team[effect] ?? defaultEffects[effect])
    const permission = isSaid ? policy.effects[effect] : wanted
    return policy.beforehand ? permission : stricterOf(permission, defaultEffects[effect])
  }
  return { read: one('read'), write: one('write'), execute: one('execute'), outbound: one('outbound') }
}
