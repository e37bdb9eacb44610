import type { CadreEvent } from '../ports/events.ts'
import type { CallVerdict } from './view.ts'

/** Returns only the gate's decision from an event about a call. Omits what the decision does not have. */
export function decisionOf({
  decision,
  by,
  rule,
  reason,
  risk,
  reasons,
}: Extract<CadreEvent, { type: 'call.judged' }>): Omit<CallVerdict, 'input'> {
  return {
    decision,
    by,
    ...(rule !== undefined && { rule }),
    ...(reason !== undefined && { reason }),
    ...(risk !== undefined && { risk }),
    ...(reasons !== undefined && { reasons }),
  }
}
