import { type Report, workWithoutHeadings } from '@cadre/core'
import { shownLine } from '@cadre/gate'
import type { SessionUpdate } from './acp-types.ts'
import { truncateText } from './limit-json.ts'
import type { KnownSession } from './session-tree.ts'
import { stopReasonOf } from './stop-reason.ts'

type SubagentUpdate = Extract<SessionUpdate, { sessionUpdate: 'subagent_update' }>

export type SubagentState = NonNullable<SubagentUpdate['state']>

/** Announces a child to an editor that shows children as separate sessions. */
export function subagentStart({ id, agent }: KnownSession, work: string): SubagentUpdate {
  return {
    sessionUpdate: 'subagent_update',
    sessionId: id,
    title: shownLine(agent, 200),
    description: truncateText(workWithoutHeadings(work), 2_000),
    capabilities: { cancel: {} },
    state: { state: 'running' },
  }
}

/** An ended child's state. */
export function endState(report: Report): SubagentState {
  if (report.status !== 'error') return { state: 'idle', stopReason: stopReasonOf(report) }
  const message = report.notices?.at(-1)?.message ?? 'The agent could not finish.'
  return { state: 'idle', stopReason: 'error', error: { code: -32603, message } }
}
