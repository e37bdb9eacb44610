import { CadreError, messageOf } from '@cadre/core'
import { type ExitCode, exitCodeForError, exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'
import { cleanLine } from './output/clean-text.ts'
import { wrapForTerminal } from './output/wrap-for-terminal.ts'

/** Reports a failure, in one sentence or one JSON object, and returns the exit code. The only place that does. */
export function reportFailure(error: unknown, io: Io, asJson: boolean): ExitCode {
  const known = error instanceof CadreError || isSystemError(error)
  const code = error instanceof CadreError ? error.code : known ? 'configuration' : 'bug'
  const said = isSystemError(error) ? systemMessage(error) : known ? messageOf(error) : bugMessage(error)
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
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/** `EACCES: permission denied, open '/x/a.md.0123456789ab.tmp'` as a sentence about `/x/a.md`. */
function systemMessage(error: NodeJS.ErrnoException): string {
  const { code = '', path, message } = error
  const reason = /^[A-Z0-9]+: ([^,]+), /.exec(message)?.[1]
  if (path === undefined || reason === undefined) return messageOf(error)
  const file = path.replace(/\.[0-9a-f]{12}\.tmp$/, '')
  const fix = Object.hasOwn(fixes, code) ? ` ${fixes[code]}` : ''
  return `${file}: ${reason} (${code}).${fix}`
}

const permissions = 'Change the permissions, or choose another path.'

const fixes: { readonly [code: string]: string } = {
  EACCES: permissions,
  EPERM: permissions,
  EROFS: 'Choose another path.',
  ENOSPC: 'Free some space.',
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
