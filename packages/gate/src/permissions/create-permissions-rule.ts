import {
  addressOf,
  type JudgedCall,
  nameKey,
  type Rule,
  readDelegation,
  restrictionCoversHost,
  restrictionCoversTool,
  type Tool,
  type Verdict,
} from '@cadre/core'
import type { Decision } from '../commands/allowlist.ts'
import { type ClaudeRule, subjectOf } from './claude-rule.ts'
import type { PermissionSet } from './find-permissions.ts'

/**
 * Enforces `deny` and `ask` of `permissions` in Claude Code's settings. Paths and commands have separate rules. A deny
 * takes precedence over an ask. If Cadre does not support the text in parentheses, every call to the tool needs approval.
 */
export function createPermissionsRule({ rules, lost }: PermissionSet): Rule {
  const restricting = rules.filter(({ decision }) => decision !== 'allow')
  return {
    by: 'policy',
    name: 'permissions',
    immediate: true,
    judge(call) {
      const found = restricting.flatMap((rule) => {
        const decision = decisionOf(rule, call)
        return decision === undefined ? [] : [{ rule, decision }]
      })
      const strictest = found.find(({ decision }) => decision === 'deny') ?? found[0]
      if (strictest !== undefined) return verdictOf(strictest.rule, strictest.decision)
      const [file] = lost
      if (file === undefined || call.tool.kind === 'report') return undefined
      return {
        kind: 'ask',
        by: 'policy',
        rule: 'permissions',
        reason: `${file} is not valid, so every call needs approval`,
      }
    },
  }
}

function verdictOf({ text, place }: ClaudeRule, kind: 'ask' | 'deny'): Verdict {
  const does = kind === 'deny' ? 'denies it' : 'asks for approval'
  return { kind, by: 'policy', rule: `permissions: ${text}`, reason: `the rule ${text} ${does} (${place})` }
}

function decisionOf(rule: ClaudeRule, call: JudgedCall): 'ask' | 'deny' | undefined {
  const { tool, input } = call
  const decision = rule.decision as Exclude<Decision, 'allow'>
  const subject = subjectOf(rule)
  switch (subject.kind) {
    case 'tool':
      return appliesTo(rule.tool, tool) ? decision : undefined
    case 'unsupported':
      return appliesTo(rule.tool, tool) ? 'ask' : undefined
    case 'domain':
      return restrictionCoversTool(rule.tool, tool) &&
        restrictionCoversHost(subject.domain, addressOf(tool, input) ?? '')
        ? decision
        : undefined
    case 'agent':
      return tool.kind === 'delegate' && nameKey(readDelegation(tool, input).target) === nameKey(subject.name)
        ? decision
        : undefined
    case 'skill':
      return tool.name === 'read_skill' && fieldOf(input, 'name') === subject.name ? decision : undefined
    default:
      return undefined
  }
}

/** A rule about reading covers every tool that shows files, and one about editing every tool that changes them. */
export function appliesTo(name: string, tool: Tool): boolean {
  if (name === '*' || restrictionCoversTool(name, tool)) return true
  if (tool.kind !== undefined) return false
  if (name === 'Read') return tool.effect === 'read' && (tool.class === 'read' || tool.class === 'search')
  return /^(?:Edit|Write)$/.test(name) && tool.class === 'edit'
}

function fieldOf(input: unknown, name: string): string | undefined {
  const value = (input as Record<string, unknown> | null)?.[name]
  return typeof value === 'string' ? value : undefined
}
