import { CadreError, messageOf } from '@cadre/core'
import { type ExitCode, exitCodeForError, exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'
import { cleanLine } from './output/clean-text.ts'
import { wrapForTerminal } from './output/wrap-for-terminal.ts'

/** Reports a failure, in one sentence or one JSON object, and returns the exit code. The only place that does. */
export function reportFailure(error: unknown, io: Io, asJson: boolean): ExitCode {
  const known = error instanceof CadreError || isSystemError(error)
  const code = error instanceof CadreError ? error.code : known ? 'configuration' : 'bug'
  const said = known ? messageOf(error) : bugMessage(error)
  const message = cleanLine(said)
  if (asJson) {
    const where = error instanceof CadreError && error.where !== undefined ? { where: error.where } : {}
    io.stdout.write(`${JSON.stringify({ type: 'error', code, message, ...where })}\n`)
  } else {
    io.stderr.write(`${wrapForTerminal(io.stderr, `cadre: ${message}`)}\n`)
  }
  if (!known && io.env['CADRE_DEBUG']) io.stderr.write(`${stackOf(error)}\n`)
  return code === 'bug' ? exitCodes.bug : exitCodeForError(code)
}

/** System errors such as a full disk or a missing permission are not bugs. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

function bugMessage(error: unknown): string {
  const what = messageOf(error)
  return `this is a bug in Cadre: ${what} (set CADRE_DEBUG=1 to see the stack trace)`
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by: ${stackOf(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
