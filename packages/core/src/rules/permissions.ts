import type { AgentDefinition, PermissionRule } from '../ports/agent.ts'
import type { JudgedCall, Rule, Verdict } from '../ports/gate.ts'
import type { Ports } from '../ports/ports.ts'
import type { Tool } from '../ports/tool.ts'
import { restrictionCoversTool, ruleCoversTool } from '../vocabulary/select-tools.ts'
import type { CallSubject } from './call-subject.ts'
import { subjectsOf } from './permission-subject.ts'

const strictness = { allow: 0, ask: 1, deny: 2 } as const

/**
 * Enforces the permission rules of the agent's file. The last matching rule applies. A call with several subjects gets the strictest
 * verdict. A report is never denied, because the session could not end without it.
 */
export function createAgentPermissions(locate?: Ports['locate']): Rule {
  return {
    by: 'agent',
    name: 'agent-permissions',
    immediate: true,
    judge(call, session) {
      const { permissions } = session.agent
      if (permissions === undefined || call.tool.kind === 'report') return undefined
      const rules = rulesFor(permissions, call.tool)
      if (rules.length === 0) return undefined
      let strictest: { rule: PermissionRule; subject: CallSubject } | undefined
      for (const subject of subjectsOf(call, session.workspace, locate)) {
        const rule = matchingRule(rules, subject)
        if (rule !== undefined && strictness[rule.action] > strictness[strictest?.rule.action ?? 'allow'])
          strictest = { rule, subject }
      }
      return strictest && verdictOf(session.agent, call, strictest.rule, strictest.subject)
    },
  }
}

/**
 * A restriction applies if any part or interpretation of the call matches. A rule that lifts a restriction must match the whole call: `git
 * *` does not allow `git log; rm x`.
 */
function matchingRule(rules: readonly PermissionRule[], subject: CallSubject): PermissionRule | undefined {
  let holds: PermissionRule | undefined
  for (const rule of rules) {
    const loosens = strictness[rule.action] < strictness[holds?.action ?? 'allow']
    if (loosens ? subject.matchesWhole(rule.pattern) : subject.matchesSome(rule.pattern)) holds = rule
  }
  return holds
}

const applicableRules = new WeakMap<readonly PermissionRule[], WeakMap<Tool, readonly PermissionRule[]>>()

/** The rules for a tool, in order. Cached, because sessions of an agent share rules and tools. */
function rulesFor(rules: readonly PermissionRule[], tool: Tool): readonly PermissionRule[] {
  const byTool = applicableRules.get(rules) ?? new WeakMap<Tool, readonly PermissionRule[]>()
  applicableRules.set(rules, byTool)
  let found = byTool.get(tool)
  if (found === undefined) {
    found = rules
      .filter((rule) => permissionCoversTool(rule, tool))
      // An invalid action never permits a call.
      .map((rule) => (Object.hasOwn(strictness, rule.action) ? rule : { ...rule, action: 'deny' as const }))
    byTool.set(tool, found)
  }
  return found
}

/** Returns whether a permission rule of an agent file is about this tool. */
export function permissionCoversTool({ tool: name, action }: PermissionRule, tool: Tool): boolean {
  return action === 'allow' ? ruleCoversTool(name, tool) : restrictionCoversTool(name, tool)
}

function verdictOf(
  agent: AgentDefinition,
  { tool }: JudgedCall,
  rule: PermissionRule,
  subject: CallSubject,
): Verdict {
  const where = agent.source?.path ?? `the definition of ${agent.name}`
  const about = subject.label === '' ? '' : ` for ${subject.label}`
  const said = `${where} sets ${rule.action} (${rule.tool}: ${rule.pattern})`
  const decided = { by: 'agent', rule: 'agent-permissions' } as const
  return rule.action === 'deny'
    ? { kind: 'deny', ...decided, reason: `${agent.name} may not use ${tool.name}${about}: ${said}` }
    : { kind: 'ask', ...decided, reason: `${tool.name}${about} needs an approval: ${said}` }
}
