import type { Rule } from '../ports/gate.ts'
import type { JsonObject } from '../ports/json.ts'
import type { Agents, Ports } from '../ports/ports.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { Tool } from '../ports/tool.ts'
import { oneLine } from '../session/prompt.ts'
import { refuseDelegation } from '../tree/delegation.ts'
import { targetsOf } from '../tree/targets-of.ts'
import { readTeam, refuseTeam } from '../tree/team-tools.ts'
import type { Tree } from '../tree/tree.ts'
import { nameKey } from '../vocabulary/name-key.ts'
import { restrictionCoversTool } from '../vocabulary/select-tools.ts'
import { createAgentPermissions } from './permissions.ts'

const generalPurpose = 'general-purpose'

/** The rules of core: controls of the tree, permissions in the agent's file, delegation targets and depth, and call budgets. */
export function engineRules(
  treeOf: (spec: SessionSpec) => Tree,
  { locate, agents }: Pick<Ports, 'locate' | 'agents'>,
): readonly Rule[] {
  return [
    ...treeControls,
    createAgentPermissions(locate),
    {
      by: 'role',
      name: 'delegation',
      immediate: true,
      counts: true,
      judge({ tool, input }, session) {
        const targets = targetsOf(tool, input)
        const [target] = targets
        if (target === undefined) return undefined
        const tree = treeOf(session)
        const team = readTeam(tool, input)
        const { depth } = tree.limits
        const standIn = team === undefined ? substituteFor(target, { tool, session, agents }) : undefined
        const refusal =
          team === undefined
            ? refuseDelegation(session, standIn ?? target, depth)
            : refuseTeam(session, team, depth)
        if (refusal !== undefined)
          return { kind: 'deny', by: 'role', rule: refusal.code, reason: refusal.reason }
        const limit = tree.limits.sessions
        if (tree.sessions + targets.length > limit)
          return {
            kind: 'deny',
            by: 'budget',
            rule: 'sessions',
            reason: `session limit reached (${limit}, limits.sessions). Do the work yourself.`,
          }
        return standIn === undefined
          ? undefined
          : {
              kind: 'allow',
              by: 'role',
              rule: 'delegation',
              input: { ...(input as JsonObject), subagent_type: standIn },
              context: `There is no agent named ${JSON.stringify(oneLine(target, 200))}, so Cadre gave the task to ${standIn}. Agents: ${session.targets.join(', ')}`,
            }
      },
    },
    {
      by: 'budget',
      name: 'calls',
      immediate: true,
      counts: true,
      judge({ tool }, session) {
        // A report costs nothing, and without it the session could not return its findings.
        if (tool.kind === 'report') return undefined
        const reason = treeOf(session).node(session.id)?.account?.refuseCall()
        return reason === undefined ? undefined : { kind: 'deny', by: 'budget', rule: 'calls', reason }
      },
    },
  ]
}

/** Replaces an agent that does not exist with `general-purpose`, if the caller may delegate to it. Never replaces an agent that exists. */
function substituteFor(
  wanted: string,
  of: { readonly tool: Tool; readonly session: SessionSpec; readonly agents: Agents },
): string | undefined {
  if (of.tool.name !== 'delegate_task' || of.session.targets.includes(wanted)) return undefined
  const key = nameKey(wanted)
  if (of.agents.list().some(({ name }) => nameKey(name) === key)) return undefined
  if (of.session.chain.some((name) => nameKey(name) === key)) return undefined
  return of.session.targets.find((name) => nameKey(name) === generalPurpose)
}

/** The controls of the whole tree. Delegating and reporting are always allowed, because a tree cannot work without them. */
const treeControls: readonly Rule[] = [
  {
    by: 'agent',
    name: 'denied-tools',
    immediate: true,
    judge({ tool }, { controls }) {
      const name = controls?.deniedTools?.find((denied) => restrictionCoversTool(denied, tool))
      if (name === undefined || tool.kind === 'report') return undefined
      const reason = `${tool.name} is denied for this run (${name})`
      return { kind: 'deny', by: 'agent', rule: 'denied-tools', reason }
    },
  },
  {
    by: 'role',
    name: 'read-only',
    immediate: true,
    judge({ tool }, { controls }) {
      if (controls?.readOnly !== true || isReadOnlyTool(tool)) return undefined
      const reason = `this run is read-only, and ${tool.name} can change things`
      return { kind: 'deny', by: 'role', rule: 'read-only', reason }
    },
  },
  {
    by: 'approval',
    name: 'approval-required',
    immediate: true,
    judge({ tool }, { controls }) {
      if (controls?.approvalRequired !== true || isReadOnlyTool(tool)) return undefined
      const reason = 'every change made by this run needs an approval'
      return { kind: 'ask', by: 'approval', rule: 'approval-required', reason, firm: true }
    },
  },
  {
    by: 'approval',
    name: 'isolation',
    immediate: true,
    judge({ tool }, { isolation }) {
      if (isolation?.kind !== 'missing' || (tool.effect !== 'write' && tool.effect !== 'execute'))
        return undefined
      if (writesToHome(tool)) return undefined
      const reason = `the agent could not get its own workspace (${isolation.reason}), so this call can change files that other agents are working on`
      return {
        kind: 'ask',
        by: 'approval',
        rule: 'isolation',
        reason,
        grants: ['change files without its own workspace'],
      }
    },
  },
]

/** Built-in tools for tasks and messages write to the home, not to a workspace, so they change nobody's work. */
function writesToHome({ class: kind, effect, origin }: Tool): boolean {
  return origin === 'built-in' && effect === 'write' && (kind === 'task' || kind === 'message')
}

/** True if a tool only reads, delegates or reports. */
export function isReadOnlyTool(tool: Tool): boolean {
  return tool.effect === 'read' || tool.kind !== undefined
}
