import type { Notice } from '../ports/report.ts'
import type { RunResult } from './orchestrator-contract.ts'

/** Returns the result with these notices before those of its report. */
export function withNotices(result: RunResult, notices: readonly Notice[]): RunResult {
  if (notices.length === 0 || result.kind === 'waiting') return result
  return {
    kind: 'report',
    report: { ...result.report, notices: [...notices, ...(result.report.notices ?? [])] },
  }
}
