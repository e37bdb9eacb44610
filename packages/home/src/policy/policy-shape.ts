import {
  booleanShape,
  budgetsShape,
  nonNegativeNumber,
  parallelShape,
  type ValueShape,
  wholeNumber,
} from '../config/config-shape.ts'
import { roles } from '../people/person.ts'

const enabled: ValueShape = { kind: 'keys', keys: { enabled: booleanShape } }
/** A whole number, 0 or more. */
const count: ValueShape = { kind: 'count' }

const permission: ValueShape = { kind: 'choice', of: ['allow', 'ask', 'deny'] }
const patterns: ValueShape = { kind: 'keys', keys: { read: { kind: 'texts' }, write: { kind: 'texts' } } }

const approvalRule: ValueShape = {
  kind: 'keys',
  keys: {
    effect: { kind: 'choice', of: ['read', 'write', 'execute', 'outbound'] },
    risk: { kind: 'choice', of: ['LOW', 'MEDIUM', 'HIGH'] },
    path: { kind: 'text' },
    quorum: { kind: 'range', min: 1, max: 9 },
    roles: { kind: 'list', of: { kind: 'choice', of: roles } },
    notByStarter: booleanShape,
  },
}

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
      keys: {
        allow: { kind: 'texts' },
        aliases: { kind: 'named', of: { kind: 'text' } },
        fallback: booleanShape,
      },
    },
    limits: {
      kind: 'keys',
      keys: {
        depth: count,
        concurrency: wholeNumber,
        sessions: wholeNumber,
        maxTurns: wholeNumber,
        timeoutSeconds: wholeNumber,
        identicalCalls: wholeNumber,
        budget: { kind: 'keys', keys: { tokens: wholeNumber, cost: nonNegativeNumber, calls: wholeNumber } },
        parallel: parallelShape,
      },
    },
    budgets: budgetsShape,
    effects: {
      kind: 'keys',
      keys: { read: permission, write: permission, execute: permission, outbound: permission },
    },
    paths: { kind: 'keys', keys: { deny: patterns, ask: patterns } },
    approvals: { kind: 'list', of: approvalRule, orOne: true },
    network: { kind: 'choice', of: ['allow', 'deny'] },
    environment: { kind: 'names' },
    commands: {
      kind: 'keys',
      keys: {
        timeoutSeconds: wholeNumber,
        outputKilobytes: wholeNumber,
        memoryMegabytes: wholeNumber,
        processes: wholeNumber,
        fileMegabytes: wholeNumber,
      },
    },
  },
}
