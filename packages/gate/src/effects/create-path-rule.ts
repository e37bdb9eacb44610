import type { JudgedCall, PathFinding, Rule, SessionSpec, Verdict } from '@cadre/core'
import {
  createDeniedPaths,
  type DeniedPaths,
  type DeniedPathsOptions,
  type FoundPattern,
} from './denied-paths.ts'
import { wordsOfCommand } from './words-of-command.ts'

export interface PathRuleOptions extends DeniedPathsOptions {
  /** Whether commands find that what they may not read is covered. */
  readonly sandboxed: () => boolean
}

/**
 * What policies say about single paths. A path is judged as it is written and where it really leads. A tool that looks into a
 * folder in which there may be such paths is let through when it is one of ours, which leave them out; others are asked about.
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
      const found =
        call.tool.commands === undefined
          ? ofTool(denied, call, session)
          : [...ofCommand(denied, call, session), ...(sandboxed() ? [] : unseen(denied, session))]
      return verdictOf(found)
    },
  }
}

interface Found extends FoundPattern {
  readonly path: string
}

function ofTool(denied: DeniedPaths, { tool, input }: JudgedCall, { workspace }: SessionSpec): Found[] {
  const uses = tool.effect === 'write' ? (['write', 'read'] as const) : (['read'] as const)
  const hides = tool.origin === 'built-in'
  return (tool.paths?.(input) ?? []).flatMap((path) =>
    uses.flatMap((use) =>
      denied.find({ path, workspace, use }).flatMap((pattern): Found[] => {
        if (pattern.fit === 'within') return [{ ...pattern, path }]
        // A folder above it: what is written there is something else, and ours do not show what is hidden.
        return hides || tool.effect === 'write' ? [] : [{ ...pattern, path, decision: 'ask' }]
      }),
    ),
  )
}

/** Whether a command reads or writes what it names cannot be told: what may not be read is refused, what may not be written is asked about. */
function ofCommand(denied: DeniedPaths, call: JudgedCall, { workspace }: SessionSpec): Found[] {
  return wordsOfCommand(call, workspace).flatMap(({ path, base }) => {
    const read = denied.find({ path, workspace, use: 'read', base })
    const write = denied.find({ path, workspace, use: 'write', base })
    const isPattern = /[*?[{]/.test(path)
    return [
      ...read.map((pattern) => ({ ...pattern, ...(isPattern && { decision: 'ask' as const }) })),
      ...write.map((pattern) => ({ ...pattern, decision: 'ask' as const })),
    ].flatMap((pattern) => (pattern.fit === 'within' ? [{ ...pattern, path }] : []))
  })
}

/** What lies in the workspace and nothing covers: a program may read it without naming it. */
function unseen(denied: DeniedPaths, { workspace }: SessionSpec): Found[] {
  return denied
    .find({ path: '.', workspace, use: 'read' })
    .filter(({ decision }) => decision === 'deny')
    .map((pattern) => ({ ...pattern, path: '.', decision: 'ask' }))
}

function verdictOf(found: readonly Found[]): Verdict | undefined {
  const decided = found.find(({ decision }) => decision === 'deny') ?? found[0]
  if (decided === undefined) return undefined
  const { decision, key, pattern, path, place = 'the policy' } = decided
  const isPermission = key.startsWith('permissions.')
  const whose = isPermission ? 'a rule' : 'the policy'
  const reason =
    decision === 'deny'
      ? `${whose} denies ${path}: ${key} contains ${JSON.stringify(pattern)} (${place})`
      : `${path} needs approval: ${key} contains ${JSON.stringify(pattern)} (${place})`
  const rule = isPermission ? `permissions: ${pattern}` : key
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
