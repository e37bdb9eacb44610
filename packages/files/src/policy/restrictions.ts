import type { Policy } from './policy.ts'

/** One thing a policy restricts. */
export interface Restriction {
  /** As it is written in the file: `limits.depth`. */
  readonly key: string
  readonly value: string
  /** `path:line`. */
  readonly place: string
}

/** Everything that is in force, with the file that decided it: for whoever shows a policy to a person. */
export function restrictions(policy: Policy): Restriction[] {
  return [...policy.decidedBy].map(([key, place]) => {
    const list = /^models\.allow\.(\d+)$/.exec(key)
    if (list !== null) {
      const patterns = policy.allowedModels[Number(list[1])] ?? []
      return { key: 'models.allow', value: patterns.join(', ') || 'none', place }
    }
    return { key, value: String(valueFor(policy, key)), place }
  })
}

function valueFor(policy: Policy, key: string): unknown {
  if (key === 'agentMode.autoApproval.enabled') return policy.autoApproval
  if (!key.startsWith('limits.')) return false
  let at: unknown = policy.limits
  for (const name of key.split('.').slice(1)) at = (at as Record<string, unknown> | undefined)?.[name]
  return at
}
