import type { Report, StoredSession } from '@cadre/core'
import type { GateFlags } from '@cadre/runtime'
import {
  lastReport,
  openTrustedSessions,
  requireOwnWorkspace,
  sharedFolder,
  teamForRun,
  withRecordedGrant,
} from '@cadre/runtime'
import type { ScriptFlags } from '../../app/flags.ts'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { createStyle, shouldUseColour } from '../../output/style.ts'
import { createDeniedCalls } from '../../run/denied-calls.ts'
import { driveRun } from '../../run/drive-run.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { showReport } from '../../run/show-ending.ts'
import { readWork } from '../../run/work-from-input.ts'

export interface ResumeFlags extends GateFlags, ScriptFlags {
  readonly home?: string
  readonly trust?: boolean
  readonly model?: string
  readonly depth?: number
  readonly concurrency?: number
  readonly maxTurns?: number
  readonly json?: boolean
}

/** `cadre resume`, `cadre sessions resume`. */
export async function resumeRun(
  io: Io,
  given: ResumeFlags,
  beginning: string,
  work?: string,
): Promise<ExitCode> {
  const flags = withRecordedGrant(io, given, beginning)
  const sessions = await openTrustedSessions(io, flags)
  const id = await sessions.find(beginning)
  const stored = await sessions.read(id)
  const root = stored.spec.root === id ? stored : await sessions.read(stored.spec.root)
  const done = work === undefined ? reportOf(stored, flags.maxTurns) : undefined
  const denied = createDeniedCalls()
  // A message is new work: only calls denied from now on count.
  if (work === undefined) await denied.recall(sessions, root.spec.id)
  await sessions.close()
  if (done !== undefined) {
    const style = createStyle(shouldUseColour(io.stdout, io.env))
    const { json = false } = flags
    const hasSchema = stored.spec.outputSchema !== undefined
    return showReport(done, sessions, {
      ...flags,
      ...{ io, style, json, denied, hasSchema },
      flags: repeatedFlags(flags),
    })
  }
  requireOwnWorkspace(stored, sessions, io, flags.trust || flags.granted !== undefined)
  const { depth, concurrency, model, maxTurns } = flags
  const limits = { ...(depth !== undefined && { depth }), ...(concurrency !== undefined && { concurrency }) }
  const changed = Object.keys(limits).length === 0 ? {} : { limits }
  const quiet = flags.quiet === true
  const content = work === undefined ? undefined : (await readWork(io, [work], { quiet })).content
  const hasSchema =
    (root.spec.id === id || work !== undefined ? stored : root).spec.outputSchema !== undefined
  const place = { io, workspace: sharedFolder(stored.spec) }
  const options = { ...flags, ...teamForRun(root.spec), ...place, denied, hasSchema }
  return driveRun(options, ({ orchestrator }, signal) =>
    orchestrator.resume(
      id,
      {
        ...(content !== undefined && { work: content }),
        ...(model !== undefined && { model }),
        ...(maxTurns !== undefined && { maxRounds: maxTurns }),
        ...changed,
      },
      signal,
    ),
  )
}

/** Returns the report of a session with nothing left to do, whose end is the last record. Undefined if it can continue. */
function reportOf(stored: StoredSession, maxTurns: number | undefined): Report | undefined {
  const { outcome } = stored
  const report = outcome === 'completed' || outcome === 'incomplete' ? lastReport(stored) : undefined
  const isOutOfRounds = report?.notices?.at(-1)?.code === 'max_rounds'
  return maxTurns !== undefined && isOutOfRounds ? undefined : report
}
