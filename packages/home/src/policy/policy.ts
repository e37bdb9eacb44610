import type { Budget, Effect } from '@cadre/core'
import type { Config } from '../config/config.ts'
import type { ApprovalRule } from './approval-rule.ts'
import type { CommandLimits } from './command-limits.ts'

/** A permission, from the least to the most strict. */
export type Permission = 'allow' | 'ask' | 'deny'

export type Effects = { readonly [effect in Effect]: Permission }

/** Path patterns, relative to the workspace or absolute. */
export interface PathPatterns {
  readonly read: readonly string[]
  readonly write: readonly string[]
}

/** The combined policies of an organisation, a user and a project. The strictest value applies, so every level can only tighten. */
export interface Policy {
  /** Whether agents from files may be used. Does not affect built-in agents. */
  readonly customAgents: boolean
  /** Whether agents may delegate. */
  readonly subagents: boolean
  readonly cveRemediator: boolean
  /**
   * Whether calls may be allowed beforehand: by an allowlist, by `allow` for an effect, or for the rest of a session. False: a person
   * answers every question.
   */
  readonly beforehand: boolean
  readonly mcp: boolean
  /** Patterns of model names, with `*`. A model must match one pattern of each list. */
  readonly allowedModels: readonly (readonly string[])[]
  /** Models by alias, such as `haiku`. They take precedence over the configuration. */
  readonly modelAliases: { readonly [name: string]: string }
  /** Whether the default model may replace a requested model that is not available. */
  readonly modelFallback: boolean
  readonly limits: {
    readonly depth?: number
    readonly concurrency?: number
    readonly sessions?: number
    readonly maxTurns?: number
    readonly timeoutSeconds?: number
    readonly identicalCalls?: number
    readonly budget?: Budget
    /** How many trees may run at the same time. */
    readonly parallel?: { readonly place?: number; readonly home?: number }
  }
  /** The most that all runs of a home may spend in a day. */
  readonly budgets?: Config['budgets']
  /** Includes the defaults. `effectsOf` adds teams and flags. */
  readonly effects: Effects
  /** Patterns of all levels. */
  readonly paths: { readonly deny: PathPatterns; readonly ask: PathPatterns }
  /** How many people must approve, and who counts. Rules of all levels: each can only raise what an approval needs. */
  readonly approvals: readonly ApprovalRule[]
  /** Whether commands may use the network. */
  readonly network: boolean
  /** Additional environment variables for commands and hooks. */
  readonly environment: readonly string[]
  /** The limits of a command: time, output and resources. */
  readonly commands: {
    readonly timeoutSeconds?: number
    readonly outputKilobytes?: number
  } & Partial<CommandLimits>
  /**
   * The file that decided each value, for messages: `path:line` by key, such as `limits.depth`. Lists of allowed models and path patterns
   * are numbered: `models.allow.0`, `paths.deny.read.0`, `approvals.0`.
   */
  readonly decidedBy: ReadonlyMap<string, string>
}

/** The permissions without a policy. */
export const defaultEffects: Effects = { read: 'allow', write: 'ask', execute: 'ask', outbound: 'ask' }

const noPatterns: PathPatterns = { read: [], write: [] }

/** The policy without any file: the defaults, and no other restriction. */
export const permissivePolicy: Policy = {
  customAgents: true,
  subagents: true,
  cveRemediator: true,
  beforehand: true,
  mcp: true,
  allowedModels: [],
  modelAliases: {},
  modelFallback: true,
  limits: {},
  effects: defaultEffects,
  paths: { deny: noPatterns, ask: noPatterns },
  approvals: [],
  network: false,
  environment: [],
  commands: {},
  decidedBy: new Map(),
}

/** The strictest policy, used if a policy file cannot be read. */
export function restrictivePolicy(place: string): Policy {
  const everything: PathPatterns = { read: ['**'], write: ['**'] }
  return {
    customAgents: false,
    subagents: false,
    cveRemediator: false,
    beforehand: false,
    mcp: false,
    allowedModels: [[]],
    modelAliases: {},
    modelFallback: false,
    limits: { depth: 0 },
    effects: { read: 'deny', write: 'deny', execute: 'deny', outbound: 'deny' },
    paths: { deny: everything, ask: noPatterns },
    approvals: [],
    network: false,
    environment: [],
    commands: {},
    decidedBy: new Map(
      [
        'customAgent.enabled',
        'subagent.enabled',
        'cveRemediatorAgent.enabled',
        'agentMode.autoApproval.enabled',
        'mcp.contributionPoint.enabled',
        'models.allow.0',
        'models.fallback',
        'limits.depth',
        'effects.read',
        'effects.write',
        'effects.execute',
        'effects.outbound',
        'paths.deny.read.0',
        'paths.deny.write.0',
      ].map((key) => [key, place]),
    ),
  }
}
