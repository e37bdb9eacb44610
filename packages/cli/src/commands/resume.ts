import { CadreError, type Report, type StoredSession } from '@cadre/core'
import type { ExitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { createStyle, wantsColour } from '../output/style.ts'
import { driveRun } from '../run/drive-run.ts'
import { readWork } from '../run/read-work.ts'
import { repeatedFlags } from '../run/repeated-flags.ts'
import { showReport } from '../run/show-ending.ts'
import { openSessions } from '../runtime/open-sessions.ts'

export interface ResumeFlags {
  readonly home?: string
  readonly depth?: number
  readonly concurrency?: number
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre resume`, `cadre sessions resume`. */
export async function resume(
  io: Io,
  flags: ResumeFlags,
  beginning: string,
  work?: string,
): Promise<ExitCode> {
  const sessions = await openSessions(io, flags.home)
  const id = await sessions.find(beginning)
  const stored = await sessions.read(id)
  const done = work === undefined ? reportOf(stored) : undefined
  await sessions.close()
  if (done !== undefined) {
    const style = createStyle(wantsColour(io.stdout, io.env))
    return showReport(done, sessions, { io, style, json: flags.json === true, flags: repeatedFlags(flags) })
  }
  const { depth, concurrency } = flags
  const limits = { ...(depth !== undefined && { depth }), ...(concurrency !== undefined && { concurrency }) }
  const changed = Object.keys(limits).length === 0 ? {} : { limits }
  const content = work === undefined ? undefined : await readWork(io, [work])
  return driveRun({ ...flags, io, workspace: stored.spec.workspace }, ({ orchestrator }, signal) =>
    orchestrator.resume(id, { ...(content !== undefined && { work: content }), ...changed }, signal),
  )
}

/** Of a session that has nothing left to do. Anything else is continued. */
function reportOf({ outcome, entries, spec }: StoredSession): Report | undefined {
  if (outcome !== 'completed' && outcome !== 'incomplete') return undefined
  const end = entries.findLast((entry) => entry.role === 'event' && entry.type === 'session.ended')
  if (end === undefined)
    throw new CadreError('corrupt', `session ${spec.id} has ended, but its journal holds no report`)
  return (end as { readonly report?: unknown }).report as Report
}
