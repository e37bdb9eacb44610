import { resolveWorkspace } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { handleStopSignals } from '../../run/handle-stop-signals.ts'

/** `cadre mcp work`: the process of a delegated run. Programs start it, and not people. */
export async function runDelegatedWork(
  io: Io,
  flags: { readonly home?: string; readonly workspace?: string },
  id: string,
): Promise<ExitCode> {
  const { executeDelegatedRun } = await import('@cadre/protocols')
  const environment = { ...io, cwd: resolveWorkspace(io, flags.workspace) }
  const stop = new AbortController()
  const giveBack = handleStopSignals(
    () => stop.abort(),
    () => process.exit(exitCodes.cancelled),
  )
  // Time limits and some models do not keep the process alive.
  const alive = setInterval(() => {}, 2 ** 30)
  try {
    const result = await executeDelegatedRun({ environment, home: flags.home, id }, stop.signal)
    if (result === undefined) return exitCodes.owned
    if (result.kind === 'waiting') return exitCodes.waiting
    return result.report.status === 'completed' ? exitCodes.done : exitCodes.failed
  } finally {
    clearInterval(alive)
    giveBack()
  }
}
