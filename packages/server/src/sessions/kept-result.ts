import { CadreError, messageOf, noUsage, type RunResult, type StoredSession } from '@cadre/core'
import { latestReport } from '@cadre/runtime'
import type { KeptSessionState } from '../session-keeper.ts'

/** The state of an ended session, from its record. */
export function endedState({ outcome, entries }: StoredSession): KeptSessionState {
  const report = latestReport(entries)
  const reason = report?.notices?.map(({ message }) => message).join('; ')
  return {
    kind: 'ended',
    outcome: outcome ?? 'completed',
    text: report?.text ?? '',
    ...(reason && outcome !== 'completed' && { reason }),
  }
}

/** The result of a run that could not start, so that listeners receive the reason. */
export function failureResult(session: string, agent: string, error: unknown): RunResult {
  const code = error instanceof CadreError ? error.code : 'agent_execution'
  return {
    kind: 'report',
    report: {
      type: 'report',
      session,
      agent,
      status: 'error',
      text: '',
      model: '',
      usage: noUsage,
      sessions: 0,
      calls: 0,
      notices: [{ code, message: messageOf(error) }],
    },
  }
}
