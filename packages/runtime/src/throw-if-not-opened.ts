import { CadreError, type ErrorCode, type Report } from '@cadre/core'

/** A session that could not be opened has no report: the reason is the failure of the command. */
export function throwIfNotOpened(report: Report): void {
  const notice = report.notices?.at(-1)
  if (report.status !== 'error' || report.sessions > 0 || notice === undefined) return
  // System errors about the home's files have their own code, such as EACCES.
  const code = /^E[A-Z]+$/.test(notice.code) ? 'configuration' : (notice.code as ErrorCode)
  throw new CadreError(code, notice.message)
}
