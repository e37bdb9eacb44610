import { isAbsolute } from 'node:path'
import {
  type Effect,
  exactHostOf,
  type JudgedCall,
  type PathFinding,
  type Rule,
  type SessionSpec,
  type Tool,
  type Verdict,
} from '@cadre/core'
import { type Effects, effectsOf, type Policy } from '@cadre/home'
import { type PathResolver, pathRules } from '../paths/path-resolver.ts'
import type { FindAllowingRule } from '../permissions/permission-allowance.ts'
import { assessTarget } from './assess-target.ts'

export interface EffectsRuleOptions {
  readonly policy: Pick<Policy, 'effects' | 'beforehand' | 'decidedBy'>
  /** The effects that the team in use allows. */
  readonly team?: { readonly name: string; readonly effects?: Partial<Effects> } | undefined
  /** `--allow`: loosens the default for one run, but never a policy. */
  readonly allow?: readonly Effect[] | undefined
  readonly places: Pick<PathResolver, 'judge'>
  /** False: programs of the workspace can access the whole machine, so running one needs approval. */
  readonly sandboxed: () => boolean
  /** A rule that allows a whole call that would need approval. It loosens the default, but never a policy. */
  readonly allowance?: FindAllowingRule | undefined
  /** A protected path that the agent of a session may write anyway, relative to the workspace. */
  readonly ownOf?: (session: SessionSpec) => string | undefined
}

/**
 * Judges a call by the effect of its tool: allowed, asked or denied, according to the policies, the team and the flags of
 * the run. Paths outside the workspace and protected paths are always denied. Commands have a separate rule.
 */
export function createEffectsRule(options: EffectsRuleOptions): Rule {
  const { policy, team, allow, places, sandboxed, ownOf } = options
  const effects = effectsOf({ policy, team: team?.effects, allow })

  return {
    by: 'policy',
    name: 'effects',
    immediate: true,
    judge(call, session) {
      const { tool } = call
      if (tool.kind !== undefined || tool.commands !== undefined) return undefined
      const found = findPaths(call, session)
      const paths = found.length === 0 ? {} : { paths: found.map(({ finding }) => finding) }
      const refused = found.find(isRefused)
      if (refused === undefined) return verdictOf(call, session, found, paths)
      const { kind, finding } = refused
      return { kind: 'deny', by: 'policy', rule: pathRules[kind], reason: finding.reason ?? kind, ...paths }
    },
  }

  function findPaths({ tool, input }: JudgedCall, session: SessionSpec): FoundPath[] {
    const paths = tool.paths?.(input) ?? []
    if (paths.length === 0) return []
    const own = ownOf?.(session)
    const write = tool.effect === 'write'
    const { workspace } = session
    return paths.map((path) => {
      const placed = places.judge({ path, workspace, write, ...(own !== undefined && { own }) })
      const { kind, real } = placed
      const finding = { path, ...(real !== undefined && { real }) }
      if (kind === 'inside') return { kind, shown: placed.shown, finding: { ...finding, decision: 'allow' } }
      return { kind, finding: { ...finding, decision: 'deny', reason: placed.reason } }
    })
  }

  function verdictOf(
    call: JudgedCall,
    { workspace }: SessionSpec,
    found: readonly FoundPath[],
    findings: { readonly paths?: readonly PathFinding[] },
  ): Verdict {
    const { tool } = call
    const key = effectRules[tool.effect]
    const decided = { by: 'policy', rule: key, ...findings } as const
    const permission = permissionOf(tool)
    if (permission === 'allow') return { kind: 'allow', ...decided }
    const why = policy.decidedBy.get(key)
    if (permission === 'deny') {
      const reason = `the policy denies ${effectLabels[tool.effect]}: ${key} is deny (${why ?? 'the policy'})`
      return { kind: 'deny', ...decided, reason }
    }
    const isOpen = why === undefined && policy.beforehand
    const allowed = isOpen ? options.allowance?.(call, workspace) : undefined
    if (allowed !== undefined)
      return {
        ...decided,
        kind: 'allow',
        rule: `permissions: ${allowed.text}`,
        reason: `allowed by ${allowed.place}`,
      }
    const { risk, reasons } = riskOf(call, found)
    const grants = policy.beforehand && risk !== 'HIGH' ? grantsOf(call) : undefined
    return {
      kind: 'ask',
      ...decided,
      reason: `${whatOf(tool)}${why === undefined ? '' : `: ${key} is ask (${why})`}`,
      risk,
      reasons: reasons.length > 0 ? reasons : [whatOf(tool)],
      ...(grants && { grants }),
    }
  }

  function permissionOf(tool: Tool) {
    const permission = effects[tool.effect]
    // Its command comes from the trusted configuration, but it runs code that agents can change.
    const isTrusted = sandboxed() && tool.name === 'get_errors' && tool.origin === 'built-in'
    // Writing a task or a message has no effect by itself: the work that results from it is judged later.
    const isNoted = (writesTasks(tool) || sendsMessage(tool)) && !policy.decidedBy.has('effects.write')
    return (isTrusted || isNoted) && permission === 'ask' && policy.beforehand ? 'allow' : permission
  }
}

/** Built-in tools for task files, which write nowhere else. */
function writesTasks(tool: Tool): boolean {
  return tool.class === 'task' && tool.effect === 'write' && tool.origin === 'built-in'
}

/** Built-in tools that put a message in a mailbox of the home. Messages that leave this machine are outbound. */
function sendsMessage(tool: Tool): boolean {
  return tool.class === 'message' && tool.effect === 'write' && tool.origin === 'built-in'
}

function whatOf(tool: Tool): string {
  if (sendsMessage(tool)) return 'the call sends a message to another agent'
  // Nobody states what a server really does, and many run on this machine.
  if (tool.origin === 'server' && tool.effect === 'outbound')
    return 'the call uses an MCP server, which can send data outside this machine'
  return writesTasks(tool) ? 'the call changes task files in the home directory' : effectReasons[tool.effect]
}

/** A path that a call names, with the verdict about it. */
interface FoundPath {
  readonly kind: 'inside' | keyof typeof pathRules
  /** Relative to the workspace. */
  readonly shown?: string
  readonly finding: PathFinding
}

type RefusedPath = FoundPath & { readonly kind: keyof typeof pathRules }

function isRefused(found: FoundPath): found is RefusedPath {
  return found.kind !== 'inside'
}

const effectRules = {
  read: 'effects.read',
  write: 'effects.write',
  execute: 'effects.execute',
  outbound: 'effects.outbound',
} as const

const effectReasons: { readonly [effect in Effect]: string } = {
  read: 'the call reads files in the workspace',
  write: 'the call changes files in the workspace',
  execute: 'the call runs a program',
  outbound: 'the call sends data outside this machine',
}

const effectLabels: { readonly [effect in Effect]: string } = {
  read: 'reading files',
  write: 'writing files',
  execute: 'running programs',
  outbound: 'network access',
}

function riskOf({ tool }: JudgedCall, found: readonly FoundPath[]) {
  // Relative paths, as written and resolved: the location of the workspace says nothing about a file.
  const targets = found.flatMap(({ shown, finding: { path } }) => [
    ...(isAbsolute(path) ? [] : [path]),
    ...(shown === undefined || shown === path ? [] : [shown]),
  ])
  if (writesTasks(tool) || sendsMessage(tool)) return { risk: 'LOW', reasons: [] } as const
  if (tool.effect === 'write') return assessTarget(targets)
  const risk = tool.effect === 'execute' ? 'HIGH' : tool.effect === 'outbound' ? 'MEDIUM' : 'LOW'
  return { risk, reasons: [] } as const
}

/** Returns what a person can permit for the rest of a session. Calls that run programs need approval each time. */
function grantsOf({ tool, input }: JudgedCall): readonly string[] | undefined {
  if (writesTasks(tool)) return ['change task files']
  if (sendsMessage(tool)) return ['send messages to agents']
  if (tool.effect === 'write') return ['write in the workspace']
  if (tool.effect === 'read') return [`read with ${tool.name}`]
  if (tool.effect === 'execute') return undefined
  const address = tool.address?.(input)
  if (address !== undefined) {
    // Without a host, one approval would cover every such address.
    if (exactHostOf(address) === undefined) return undefined
    return [`outbound: ${tool.name} from ${new URL(address).host}`]
  }
  // A tool that can contact any host, and does not declare which.
  if (tool.class === 'web' && tool.origin === 'built-in') return undefined
  return [`outbound: ${tool.name}`]
}
