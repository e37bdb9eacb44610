import { refusedCallNotices } from '../budget/budget-notices.ts'
import { addUsage, type Notice, type Report, type ReportStatus } from '../ports/report.ts'
import type { Session } from './session.ts'

/** The end of a session, before the report is built. */
export interface Ending {
  readonly status: ReportStatus
  readonly text: string
  readonly sections?: Report['sections']
  readonly output?: Report['output']
  readonly notices?: readonly Notice[]
}

export function buildReport(session: Session, ending: Ending): Report {
  const { spec, state, left } = session
  // The last notice gives the reason for the end.
  const notices = [...state.notices, ...refusedCallNotices(state), ...(ending.notices ?? [])]
  return {
    type: 'report',
    session: spec.id,
    agent: spec.agent.name,
    status: ending.status,
    text: ending.text,
    ...(ending.output !== undefined && { output: ending.output }),
    ...(ending.sections && { sections: ending.sections }),
    ...(spec.agent.handoffs?.length && ending.status === 'completed' && { handoffs: spec.agent.handoffs }),
    model: spec.model,
    usage: addUsage(state.usage, left.usage),
    sessions: state.sessions + left.sessions,
    calls: state.callCount + left.calls,
    ...(notices.length > 0 && { notices }),
    ...(spec.team && { messages: state.receivedMessages.size }),
  }
}
