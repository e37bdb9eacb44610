import { readDelegation, refuseDelegation } from './delegation.ts'
import type { Rule } from './gate.ts'
import { agentPermissions } from './permissions.ts'
import type { SessionSpec } from './session-spec.ts'
import type { Tree } from './tree.ts'

/**
 * The engine's own rules: what the agent's file says, who may delegate to whom, how deep and how often, and how many calls
 * may be made.
 */
export function engineRules(treeOf: (spec: SessionSpec) => Tree): readonly Rule[] {
  return [
    agentPermissions,
    {
      by: 'role',
      name: 'delegation',
      immediate: true,
      judge({ tool, input }, session) {
        if (tool.kind !== 'delegate') return undefined
        const tree = treeOf(session)
        const refusal = refuseDelegation(session, readDelegation(tool, input).target, tree.limits.depth)
        if (refusal !== undefined)
          return { kind: 'deny', by: 'role', rule: refusal.code, reason: refusal.reason }
        const most = tree.limits.sessions
        if (tree.sessions < most) return undefined
        return {
          kind: 'deny',
          by: 'budget',
          rule: 'sessions',
          reason: `this run may have ${most} sessions and has them; do the work yourself`,
        }
      },
    },
    {
      by: 'budget',
      name: 'calls',
      immediate: true,
      judge({ tool }, session) {
        // A report spends nothing, and without it the session could not even say what it found.
        if (tool.kind === 'report') return undefined
        const reason = treeOf(session).node(session.id)?.purse.refuseCall()
        return reason === undefined ? undefined : { kind: 'deny', by: 'budget', rule: 'calls', reason }
      },
    },
  ]
}
