import type { DayBudgetSettings } from '../config/config.ts'
import { describeRule } from './approval-rule.ts'
import type { Policy } from './policy.ts'

const aliases = 'models.aliases.'

/** One restriction of a policy. */
export interface Restriction {
  /** As written in the file: `limits.depth`. */
  readonly key: string
  readonly value: string
  /** `path:line`. */
  readonly place: string
}

/** Returns all restrictions in effect, each with the file that decided it, for display. */
export function listRestrictions(policy: Policy): Restriction[] {
  return [...policy.decidedBy].map(([key, place]) => {
    const list = /^(models\.allow|approvals|paths\.(?:deny|ask)\.(?:read|write))\.(\d+)$/.exec(key)
    if (list === null) return { key, value: String(valueFor(policy, key)), place }
    const [, name = '', index] = list
    return { key: name, value: listValue(policy, name, Number(index)), place }
  })
}

function listValue(policy: Policy, name: string, index: number): string {
  if (name === 'models.allow') return policy.allowedModels[index]?.join(', ') || 'none'
  if (name === 'approvals') {
    const rule = policy.approvals[index]
    return rule === undefined ? '' : describeRule(rule)
  }
  return (valueAt(policy, name) as readonly string[])[index] ?? ''
}

function valueFor(policy: Policy, key: string): unknown {
  if (key.startsWith(aliases)) return policy.modelAliases[key.slice(aliases.length)]
  if (key === 'network') return policy.network ? 'allow' : 'deny'
  if (key === 'environment') return policy.environment.join(', ') || 'none'
  const [, group, name = ''] = /^budgets\.(agents|teams)\.(.*)$/.exec(key) ?? []
  if (group !== undefined) return describeBudget(policy.budgets?.[group as 'agents' | 'teams']?.[name])
  return /^(limits|effects|commands|budgets)\./.test(key) ? valueAt(policy, key) : false
}

function describeBudget({ tokens, cost }: DayBudgetSettings = {}): string {
  return [
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(cost === undefined ? [] : [`$${cost}`]),
  ].join(', ')
}

function valueAt(policy: Policy, key: string): unknown {
  let at: unknown = policy
  for (const name of key.split('.')) at = (at as Record<string, unknown> | undefined)?.[name]
  return at
}
