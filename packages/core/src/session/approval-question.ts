import type { Question } from '../ports/engine.ts'
import type { EventEntry } from '../ports/entry.ts'
import type { JudgedCall } from '../ports/gate.ts'
import type { Json } from '../ports/json.ts'
import type { ApprovalRequirement } from '../ports/votes.ts'
import type { Session } from './session.ts'
import { approveSession, grantsOf } from './state.ts'

/** The question about a held call, with everything a person needs to decide. Contains the whole action. */
export function approvalOf(session: Session, judged: JudgedCall, held: EventEntry): Question {
  const { call, tool } = judged
  const { by, rule, risk, reasons, input, approvals } = held
  const args = input === undefined ? call.function.arguments : JSON.stringify(input)
  const grants = grantsOf(held)
  const agent = session.spec.agent.name
  return {
    name: `approval/${call.id}`,
    kind: 'approval',
    call: call.id,
    text: `${agent} wants to use ${tool.name} ${args}: ${held.content ?? ''}`,
    choices: ['approve', ...(grants.length > 0 ? [approveSession] : []), 'reject'],
    detail: {
      agent,
      ...actionOf(judged, args),
      tool: tool.name,
      arguments: args,
      risk: risk ?? null,
      reasons: reasons ?? [],
      by: by ?? null,
      rule: rule ?? null,
      reason: held.content ?? '',
      ...(grants.length > 0 && { grants: [...grants] }),
      ...(approvals !== undefined && { approvals }),
    },
  }
}

/** As entries record it. */
export function approvalsJson({ quorum, roles, notByStarter }: ApprovalRequirement): Json {
  return { quorum, roles: [...roles], notByStarter }
}

/** Describes a call for people: its action and its target. */
export function actionOf({ tool, input }: JudgedCall, args: string): { [key in 'type' | 'action']: Json } {
  const command = (input as { command?: unknown } | null)?.command
  if (tool.commands !== undefined && typeof command === 'string')
    return { type: 'terminal_command', action: command }
  const paths = tool.effect === 'write' ? (tool.paths?.(input) ?? []) : []
  if (paths.length > 0) return { type: 'file_write', action: paths.join('\n') }
  return { type: tool.name, action: args }
}
