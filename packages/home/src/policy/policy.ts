import type { Budget, Effect } from '@cadre/core'
import type { CommandLimits } from './command-limits.ts'

/** What is said about something beforehand, from the laxest to the strictest. */
export type Permission = 'allow' | 'ask' | 'deny'

export type Effects = { readonly [effect in Effect]: Permission }

/** Patterns of files and folders, relative to the workspace or absolute. */
export interface PathPatterns {
  readonly read: readonly string[]
  readonly write: readonly string[]
}

/**
 * What an organisation, a person and a project permit, taken together: the strictest of all holds, so that every level can
 * only tighten what is above it.
 */
export interface Policy {
  /** Agents that come from files. Built-in ones are not concerned. */
  readonly customAgents: boolean
  /** Delegation, by anybody. */
  readonly subagents: boolean
  readonly cveRemediator: boolean
  /**
   * Whether anything may be decided before it is asked for: by an allowlist, by `allow` for an effect, for the rest of a
   * session. False: a person answers every question, each time.
   */
  readonly beforehand: boolean
  readonly mcp: boolean
  /** Patterns of model names, with `*`: a model must fit one pattern of each list. */
  readonly allowedModels: readonly (readonly string[])[]
  /** What names of models stand for, such as `haiku`. They come before those of the configuration. */
  readonly modelAliases: { readonly [name: string]: string }
  /** Whether the default model may be used in the place of one that an agent asks for and that is not available. */
  readonly modelFallback: boolean
  readonly limits: {
    readonly depth?: number
    readonly concurrency?: number
    readonly sessions?: number
    readonly maxTurns?: number
    readonly timeoutSeconds?: number
    readonly identicalCalls?: number
    readonly budget?: Budget
  }
  /** With the defaults where no level says anything; `effectsOf` adds what a team and a flag say. */
  readonly effects: Effects
  /** Patterns of all levels together. */
  readonly paths: { readonly deny: PathPatterns; readonly ask: PathPatterns }
  /** Whether commands reach the network. */
  readonly network: boolean
  /** Variables that commands and hooks get beside the usual ones. */
  readonly environment: readonly string[]
  /** The most a command may take, print and use. */
  readonly commands: {
    readonly timeoutSeconds?: number
    readonly outputKilobytes?: number
  } & Partial<CommandLimits>
  /**
   * Which file decided each of these, for messages: `path:line` by the key as it is written there, `limits.depth`. The lists
   * of allowed models are numbered as above: `models.allow.0`; so are patterns of paths: `paths.deny.read.0`.
   */
  readonly decidedBy: ReadonlyMap<string, string>
}

/** What happens where nobody says anything. */
export const defaultEffects: Effects = { read: 'allow', write: 'ask', execute: 'ask', outbound: 'ask' }

const noPatterns: PathPatterns = { read: [], write: [] }

/** No level says anything: the defaults hold, and everything else is open. */
export const openPolicy: Policy = {
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
  network: false,
  environment: [],
  commands: {},
  decidedBy: new Map(),
}

/** As strict as can be: what holds where a policy cannot be read. */
export function closedPolicy(place: string): Policy {
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
