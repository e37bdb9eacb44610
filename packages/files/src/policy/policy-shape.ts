import { amount, flag, type Shape, whole } from '../config/config-shape.ts'

const enabled: Shape = { kind: 'keys', keys: { enabled: flag } }
/** A whole number, 0 or more. */
const count: Shape = { kind: 'count' }

/** Everything that can be in a policy file. Documented in the user's guide in the same order. */
export const policyShape: Extract<Shape, { kind: 'keys' }> = {
  kind: 'keys',
  keys: {
    customAgent: enabled,
    subagent: enabled,
    cveRemediatorAgent: enabled,
    agentMode: { kind: 'keys', keys: { autoApproval: enabled } },
    mcp: { kind: 'keys', keys: { contributionPoint: enabled } },
    models: { kind: 'keys', keys: { allow: { kind: 'texts' } } },
    limits: {
      kind: 'keys',
      keys: {
        depth: count,
        concurrency: whole,
        sessions: whole,
        maxTurns: whole,
        timeoutSeconds: whole,
        budget: { kind: 'keys', keys: { tokens: whole, cost: amount, calls: whole } },
      },
    },
    // Kept for the gate, which does not read it yet.
    effects: { kind: 'anything' },
  },
}
