import type { Report } from '@cadre/core'
import type { StopReason } from './acp-types.ts'

/** The reason why a turn ended. A failed turn has no stop reason, because it is an error. */
export function stopReasonOf({ status, notices }: Pick<Report, 'status' | 'notices'>): StopReason {
  if (status === 'cancelled') return 'cancelled'
  const code = notices?.at(-1)?.code ?? ''
  if (status !== 'incomplete') return 'end_turn'
  if (code === 'length' || code === 'truncated') return 'max_tokens'
  if (code === 'filtered') return 'refusal'
  return 'max_turn_requests'
}
