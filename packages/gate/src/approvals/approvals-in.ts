import {
  type Entry,
  type EventEntry,
  isPermission,
  latestVotes,
  requirementOf,
  type StoredSession,
  votesIn,
  workWithoutHeadings,
} from '@cadre/core'
import { approvalContent } from './approval-content.ts'
import {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalStatus,
  approvalId,
} from './approval-record.ts'

/** Returns every approval that a session has requested so far, in order, from its journal. Includes calls in doubt. */
export function approvalsIn({ spec, entries }: StoredSession): ApprovalRecord[] {
  const asked = new Map<string, EventEntry & Entry>()
  const answers = new Map<string, ApprovalDecision>()
  const settled = new Set<string>()
  const purposes = new Map<string, string>()
  const task = firstLine(workWithoutHeadings(spec.work.content))
  for (const entry of entries) {
    if (entry.role === 'tool_result') settled.add(entry.tool_call_id)
    if (entry.role === 'assistant')
      for (const { id } of entry.tool_calls ?? []) purposes.set(id, (entry.content ?? '').trim())
    if (entry.role !== 'event') continue
    const name = String(entry['name'] ?? '')
    if (entry.type === 'person.asked' && !asked.has(name)) asked.set(name, entry)
    if (entry.type === 'person.answered' && !answers.has(name)) answers.set(name, decisionOf(entry))
  }
  return [...asked].map(([question, entry]) => {
    const decision = answers.get(question)
    const call = String(entry.call ?? '')
    const purpose = purposes.get(call) ?? ''
    const need = requirementOf(entry['detail'])
    return {
      ...approvalContent(entry, spec.agent.name),
      id: approvalId(spec.id, question, entry.timestamp),
      session: spec.id,
      root: spec.root,
      question,
      call,
      ...(task !== '' && { task }),
      ...(purpose !== '' && { purpose }),
      created: entry.timestamp,
      status: statusOf(decision, settled.has(call)),
      ...(decision && { decision }),
      ...(need && { need }),
      votes: need === undefined ? [] : latestVotes(votesIn(entries, question)),
    }
  })
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.trim() ?? ''
}

function decisionOf(entry: EventEntry & Entry): ApprovalDecision {
  const { decision, by, reason } = entry
  return {
    decision: String(decision),
    at: entry.timestamp,
    ...(typeof by === 'string' && { by }),
    ...(typeof reason === 'string' && { reason }),
  }
}

function statusOf(decision: ApprovalDecision | undefined, isSettled: boolean): ApprovalStatus {
  if (decision === undefined) return isSettled ? 'withdrawn' : 'pending'
  return isPermission(decision.decision) ? 'approved' : 'rejected'
}
