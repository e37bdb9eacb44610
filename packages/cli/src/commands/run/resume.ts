import type { Report, StoredSession } from '@cadre/core'
import type { GateFlags } from '@cadre/runtime'
import { openTrustedSessions, teamOfRun, withGrantOf } from '@cadre/runtime'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { createStyle, wantsColour } from '../../output/style.ts'
import { driveRun } from '../../run/drive-run.ts'
import { lastReport } from '../../run/last-report.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { requireOwnWorkspace, sharedFolder } from '../../run/require-own-workspace.ts'
import { showReport } from '../../run/show-ending.ts'
import { readWork } from '../../run/work-from-input.ts'

export interface ResumeFlags extends GateFlags {
  readonly home?: string
  readonly trust?: boolean
  readonly model?: string
  readonly depth?: number
  readonly concurrency?: number
  readonly json?: boolean
}

/** `cadre resume`, `cadre sessions resume`. */
export async function resume(
  io: Io,
  given: ResumeFlags,
  beginning: string,
  work?: string,
): Promise<ExitCode> {
  const flags = withGrantOf(io, given, beginning)
  const sessions = await openTrustedSessions(io, flags)
  const id = await sessions.find(beginning)
  const stored = await sessions.read(id)
  const root = stored.spec.root === id ? stored : await sessions.read(stored.spec.root)
  const done = work === undefined ? reportOf(stored) : undefined
  await sessions.close()
  if (done !== undefined) {
    const style = createStyle(wantsColour(io.stdout, io.env))
    return showReport(done, sessions, { io, style, json: flags.json === true, flags: repeatedFlags(flags) })
  }
  requireOwnWorkspace(stored, sessions, io, flags.trust || flags.granted !== undefined)
  const { depth, concurrency, model } = flags
  const limits = { ...(depth !== undefined && { depth }), ...(concurrency !== undefined && { concurrency }) }
  const changed = Object.keys(limits).length === 0 ? {} : { limits }
  const content = work === undefined ? undefined : await readWork(io, [work])
  const options = { ...flags, ...teamOfRun(root.spec), io, workspace: sharedFolder(stored.spec) }
  return driveRun(options, ({ orchestrator }, signal) =>
    orchestrator.resume(
      id,
      { ...(content !== undefined && { work: content }), ...(model !== undefined && { model }), ...changed },
      signal,
    ),
  )
}

/** Of a session that has nothing left to do: its end is the last thing recorded. Anything else is continued. */
function reportOf(stored: StoredSession): Report | undefined {
  const { outcome } = stored
  return outcome === 'completed' || outcome === 'incomplete' ? lastReport(stored) : undefined
}
