import type { ApprovalRequirement, Effect, Json, Risk } from '@cadre/core'
import type { Role } from '../people/person.ts'

/**
 * A rule under `approvals` in a policy: what an approval of matching calls needs. A rule without a selector matches every call that needs
 * approval. No rule makes a call need approval that needs none.
 */
export interface ApprovalRule extends ApprovalRequirement {
  readonly effect?: Effect
  /** Matches this risk and every higher one. */
  readonly risk?: Risk
  /** A path pattern, as in `paths`. */
  readonly path?: string
  readonly roles: readonly Role[]
  /** Where the policy has it: `path:line`. */
  readonly place: string
}

const defaultRoles: readonly Role[] = ['approver', 'admin']

/** Reads the rules of one policy file, whose shape was checked. */
export function approvalRulesOf(value: Json, placeOf: (key: string) => string): ApprovalRule[] {
  const rules = (Array.isArray(value) ? value : [value]) as readonly Partial<ApprovalRule>[]
  return rules.map((rule, index) => ({
    ...rule,
    quorum: rule.quorum ?? 1,
    roles: rule.roles ?? defaultRoles,
    notByStarter: rule.notByStarter ?? false,
    place: placeOf(Array.isArray(value) ? `approvals.${index}` : 'approvals'),
  }))
}

/** The strictest need of all rules that match a call, or `undefined` if none does. `roles` is empty if no role is in all rules. */
export function strictestRequirement(rules: readonly ApprovalRequirement[]): ApprovalRequirement | undefined {
  const [first] = rules
  if (first === undefined) return undefined
  return {
    quorum: Math.max(...rules.map(({ quorum }) => quorum)),
    roles: first.roles.filter((role) => rules.every(({ roles }) => roles.includes(role))),
    notByStarter: rules.some(({ notByStarter }) => notByStarter),
  }
}

/** A need in words: `2 approvals from people with the role approver or admin, but not from people who influenced the run`. */
export function describeRequirement({ quorum, roles, notByStarter }: ApprovalRequirement): string {
  const count = quorum === 1 ? '1 approval from a person' : `${quorum} approvals from people`
  const who = roles.length > 1 ? `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}` : (roles[0] ?? 'none')
  return `${count} with the role ${who}${notByStarter ? ', but not from people who influenced the run' : ''}`
}

/** A rule in words, with what it matches. */
export function describeRule(rule: ApprovalRule): string {
  const { effect, risk, path } = rule
  const matched = [
    ...(effect === undefined ? [] : [`effect ${effect}`]),
    ...(risk === undefined ? [] : [`risk ${risk} or higher`]),
    ...(path === undefined ? [] : [`path ${path}`]),
  ]
  return `${describeRequirement(rule)}${matched.length === 0 ? '' : ` (${matched.join(', ')})`}`
}
