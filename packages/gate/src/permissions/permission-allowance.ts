import {
  addressOf,
  allowsServerTool,
  isServerTool,
  type JudgedCall,
  permissionCoversHost,
  ruleCoversTool,
} from '@cadre/core'
import { readPattern } from '../effects/path-pattern.ts'
import type { PathResolver } from '../paths/path-resolver.ts'
import { allowsMore } from './allows-more.ts'
import { type ClaudeRule, subjectOf } from './claude-rule.ts'
import { appliesTo } from './create-permissions-rule.ts'
import { patternsOf } from './path-restrictions.ts'

export interface AllowanceOptions {
  readonly rules: readonly ClaudeRule[]
  readonly project: string
  readonly userHome: string
  readonly places: Pick<PathResolver, 'locate'>
}

/** Returns the rule that allows a whole call, except for commands: every file that it changes, or the host it contacts. */
export type FindAllowingRule = (call: JudgedCall, workspace: string) => ClaudeRule | undefined

export function permissionAllowance({
  rules,
  project,
  userHome,
  places,
}: AllowanceOptions): FindAllowingRule {
  const allowing = rules.filter((rule) => allowsMore(rule) && rule.tool !== 'Bash')
  return (call, workspace) => allowing.find((rule) => allows(rule, call, workspace))

  function allows(rule: ClaudeRule, { tool, input }: JudgedCall, workspace: string): boolean {
    const subject = subjectOf(rule)
    // This rule does not apply to a tool that changes files without naming them.
    const paths = tool.effect === 'write' && tool.class === 'edit' ? (tool.paths?.(input) ?? []) : []
    if (subject.kind === 'tool') {
      if (isServerTool(rule.tool)) return allowsServerTool(rule.tool, tool)
      return rule.tool === 'WebFetch'
        ? ruleCoversTool(rule.tool, tool)
        : paths.length > 0 && appliesTo('Edit', tool)
    }
    if (subject.kind === 'domain')
      return (
        ruleCoversTool(rule.tool, tool) && permissionCoversHost(subject.domain, addressOf(tool, input) ?? '')
      )
    if (subject.kind !== 'paths' || paths.length === 0) return false
    const locate = (target: string) => places.locate(target, workspace)
    const real = locate('.')
    const patterns = patternsOf(subject.pattern, rule.level, project).map((text) =>
      readPattern(text, { workspaces: real === undefined ? [workspace] : [real], userHome, locate }),
    )
    return paths.every((written) => {
      const at = locate(written)
      return (
        at !== undefined &&
        !/[*?[{]/.test(written) &&
        patterns.some((pattern) => pattern.match(at) === 'within')
      )
    })
  }
}
