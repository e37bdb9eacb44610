import type { JudgedCall, PathFinding, Rule, SessionSpec, Tool, Verdict } from '@cadre/core'
import { commandWords } from './command-words.ts'
import {
  createDeniedPaths,
  type DeniedPaths,
  type DeniedPathsOptions,
  type FoundPattern,
} from './denied-paths.ts'
import { textsIn } from './paths-in-server-call.ts'

export interface PathRuleOptions extends DeniedPathsOptions {
  /** True if the sandbox hides unreadable files from commands. */
  readonly sandboxed: () => boolean
}

/**
 * Enforces policies about single paths. A path is judged as written and as resolved. A built-in tool may read a folder that
 * contains such paths, because it omits them; other tools need approval.
 */
export function createPathRule(options: PathRuleOptions): Rule {
  const { sandboxed } = options
  const denied = createDeniedPaths(options)
  return {
    by: 'policy',
    name: 'paths',
    immediate: true,
    judge(call, session) {
      if (denied.isEmpty || call.tool.kind !== undefined) return undefined
      if (mayHidePaths(call))
        return {
          kind: 'deny',
          by: 'policy',
          rule: 'paths.outside',
          reason:
            'the call has too many values for Cadre to find all paths in them, and a policy denies some paths',
        }
      const found =
        call.tool.commands === undefined
          ? ofTool(denied, call, session)
          : [...ofCommand(denied, call, session), ...(sandboxed() ? [] : unhiddenFiles(denied, session))]
      return verdictOf(found)
    },
  }
}

interface Found extends FoundPattern {
  readonly path: string
}

function ofTool(denied: DeniedPaths, { tool, input }: JudgedCall, { workspace }: SessionSpec): Found[] {
  const writes = tool.effect === 'write' || (tool.server !== undefined && tool.effect !== 'read')
  const uses = writes ? (['write', 'read'] as const) : (['read'] as const)
  const hides = tool.origin === 'built-in'
  return pathsNamedByCall(tool, input).flatMap((path) =>
    uses.flatMap((use) =>
      denied.find({ path, workspace, use }).flatMap((pattern): Found[] => {
        if (pattern.match === 'within') return [{ ...pattern, path }]
        // The path is a folder above it: a write there changes another file, and built-in tools omit hidden files.
        return hides || tool.effect === 'write' ? [] : [{ ...pattern, path, decision: 'ask' }]
      }),
    ),
  )
}

/** A call with too many values may name a path that a policy denies. */
export function mayHidePaths({ tool, input }: JudgedCall): boolean {
  const isJudgedByTexts = tool.paths === undefined && tool.server !== undefined && !tool.server.remote
  return isJudgedByTexts && !textsIn(input).isComplete
}

/** Nobody knows which arguments of an MCP tool are paths, so each of its texts may be one. */
export function pathsNamedByCall(tool: Tool, input: unknown): readonly string[] {
  if (tool.paths !== undefined) return tool.paths(input)
  if (tool.server === undefined || tool.server.remote) return []
  return textsIn(input).texts.filter((text) => !text.includes(' ') || /[\\/]/.test(text))
}

/**
 * It is unknown whether a command reads or writes a path that it names. Unreadable paths are denied, unwritable ones need
 * approval.
 */
function ofCommand(denied: DeniedPaths, call: JudgedCall, { workspace }: SessionSpec): Found[] {
  return commandWords(call, workspace).flatMap(({ path, base }) => {
    const read = denied.find({ path, workspace, use: 'read', base })
    const write = denied.find({ path, workspace, use: 'write', base })
    const isPattern = /[*?[{]/.test(path)
    return [
      ...read.map((pattern) => ({ ...pattern, ...(isPattern && { decision: 'ask' as const }) })),
      ...write.map((pattern) => ({ ...pattern, decision: 'ask' as const })),
    ].flatMap((pattern) => (pattern.match === 'within' ? [{ ...pattern, path }] : []))
  })
}

/** Unreadable files in the workspace that no sandbox hides: a program may read them without naming them. */
function unhiddenFiles(denied: DeniedPaths, { workspace }: SessionSpec): Found[] {
  return denied
    .find({ path: '.', workspace, use: 'read' })
    .filter(({ decision }) => decision === 'deny')
    .map((pattern) => ({ ...pattern, path: '.', decision: 'ask' }))
}

function verdictOf(found: readonly Found[]): Verdict | undefined {
  const decided = found.find(({ decision }) => decision === 'deny') ?? found[0]
  if (decided === undefined) return undefined
  const { decision, key, rule, pattern, path, place = 'the policy' } = decided
  const whose = rule.startsWith('permissions: ') ? 'a rule' : 'the policy'
  const reason =
    decision === 'deny'
      ? `${whose} denies ${path}: ${key} contains ${JSON.stringify(pattern)} (${place})`
      : `${path} needs approval: ${key} contains ${JSON.stringify(pattern)} (${place})`
  return { kind: decision, by: 'policy', rule, reason, paths: findings(found) }
}

function findings(found: readonly Found[]): PathFinding[] {
  const byPath = new Map<string, PathFinding>()
  for (const { path, real, decision, key, pattern } of found) {
    if (byPath.get(path)?.decision === 'deny') continue
    byPath.set(path, { path, ...(real && { real }), decision, reason: `${key}: ${pattern}` })
  }
  return [...byPath.values()]
}
