import { amount, flag, type ValueShape, whole } from '../config/config-shape.ts'

const enabled: ValueShape = { kind: 'keys', keys: { enabled: flag } }
/** A whole number, 0 or more. */
const count: ValueShape = { kind: 'count' }

const permission: ValueShape = { kind: 'choice', of: ['allow', 'ask', 'deny'] }
const patterns: ValueShape = { kind: 'keys', keys: { read: { kind: 'texts' }, write: { kind: 'texts' } } }

/** All keys of a policy file, in the order of the documentation. */
export const policyShape: Extract<ValueShape, { kind: 'keys' }> = {
  kind: 'keys',
  keys: {
    customAgent: enabled,
    subagent: enabled,
    cveRemediatorAgent: enabled,
    agentMode: { kind: 'keys', keys: { autoApproval: enabled } },
    mcp: { kind: 'keys', keys: { contributionPoint: enabled } },
    models: {
      kind: 'keys',
      keys: { allow: { kind: 'texts' }, aliases: { kind: 'named', of: { kind: 'text' } }, fallback: flag },
    },
    limits: {
      kind: 'keys',
      keys: {
        depth: count,
        concurrency: whole,
        sessions: whole,
        maxTurns: whole,
        timeoutSeconds: whole,
        identicalCalls: whole,
        budget: { kind: 'keys', keys: { tokens: whole, cost: amount, calls: whole } },
      },
    },
    effects: {
      kind: 'keys',
      keys: { read: permission, write: permission, execute: permission, outbound: permission },
    },
    paths: { kind: 'keys', keys: { deny: patterns, ask: patterns } },
    network: { kind: 'choice', of: ['allow', 'deny'] },
    environment: { kind: 'names' },
    commands: {
      kind: 'keys',
      keys: {
        timeoutSeconds: whole,
        outputKilobytes: whole,
        memoryMegabytes: whole,
        processes: whole,
        fileMegabytes: whole,
      },
    },
  },
}
