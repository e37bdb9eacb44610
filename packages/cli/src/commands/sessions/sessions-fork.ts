import {
  type ControlFlags,
  chooseAgent,
  type GateFlags,
  historyBefore,
  openTrustedSessions,
  requireOwnWorkspace,
  sharedFolder,
  teamForRun,
} from '@cadre/runtime'
import type { ScriptFlags } from '../../app/flags.ts'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { driveRun } from '../../run/drive-run.ts'
import { readWork } from '../../run/work-from-input.ts'

export interface ForkFlags extends GateFlags, ControlFlags, ScriptFlags {
  readonly home?: string
  readonly agent?: string
  readonly model?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre sessions fork`. */
export async function forkSession(
  io: Io,
  flags: ForkFlags,
  beginning: string,
  seq: number,
  message: string,
): Promise<ExitCode> {
  const sessions = await openTrustedSessions(io, flags)
  const stored = await sessions.read(await sessions.find(beginning))
  const { spec } = stored
  const root = spec.root === spec.id ? stored : await sessions.read(spec.root)
  await sessions.close()
  const history = historyBefore(stored, seq)
  requireOwnWorkspace(stored, sessions, io, flags.trust)
  const { content } = await readWork(io, [message], { quiet: flags.quiet === true })
  const workspace = sharedFolder(spec)
  const options = { ...flags, ...teamForRun(root.spec), io, workspace }
  return driveRun(options, (runtime, signal) =>
    runtime.orchestrator.start(
      {
        agent: chooseAgent(runtime, flags.agent ?? spec.agent.name),
        work: { content },
        workspace,
        ...(history.length > 0 && { history }),
        ...(flags.model !== undefined && { model: flags.model }),
        // Restrictions of the session apply to its fork too.
        ...(spec.controls && { controls: spec.controls }),
        ...(spec.delegation === false && { delegation: false }),
      },
      signal,
    ),
  )
}
