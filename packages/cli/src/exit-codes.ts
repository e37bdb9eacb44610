import type { ErrorCode, Report } from '@cadre/core'

/** All exit codes. Scripts depend on these numbers. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  refused: 4,
  backend: 5,
  owned: 6,
  bug: 70,
  cancelled: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const { failed, usage, waiting, refused, backend, owned, cancelled } = exitCodes

const byError: { readonly [code in ErrorCode]: ExitCode } = {
  usage,
  configuration: usage,
  unknown_model: usage,
  not_found: usage,
  // Nothing ran: a file must be fixed first, as for an invalid configuration.
  corrupt: usage,
  delegation: failed,
  circular_delegation: failed,
  agent_execution: failed,
  timeout: failed,
  budget_exceeded: failed,
  in_doubt: waiting,
  tool_access: refused,
  approval_rejected: refused,
  hook_denied: refused,
  policy: refused,
  backend,
  tools_unsupported: backend,
  owned,
  cancelled,
}

export function exitCodeForError(code: string): ExitCode {
  return Object.hasOwn(byError, code) ? byError[code as ErrorCode] : failed
}

/** An incomplete report is not a success for scripts. */
export function exitCodeForReport(report: Report): ExitCode {
  switch (report.status) {
    case 'completed':
      return exitCodes.done
    case 'incomplete':
      return failed
    case 'cancelled':
      return cancelled
    case 'error':
      return exitCodeForError(report.notices?.at(-1)?.code ?? '')
  }
}
