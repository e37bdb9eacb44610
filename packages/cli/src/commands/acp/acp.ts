import { type AcpFlags, serveAcp } from '@cadre/protocols'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { handleStopSignals } from '../../run/handle-stop-signals.ts'
import { version } from '../../version.ts'
import { listModelIds } from './list-model-ids.ts'

/** `cadre acp`. Returns when the editor has closed the connection and every session is released. */
export async function serveAcpOnStdio(io: Io, flags: AcpFlags): Promise<ExitCode> {
  if (io.stdin.isTTY)
    io.warn(
      'this command waits for an editor on standard input. docs/acp.md has the settings for editors. Press Ctrl-C to stop.',
    )
  const end = new AbortController()
  const restore = handleStopSignals(
    () => end.abort(),
    () => process.exit(exitCodes.cancelled),
  )
  try {
    await serveAcp({
      environment: { env: io.env, cwd: io.cwd, warn: io.warn },
      input: io.stdin,
      output: io.stdout.stream,
      version,
      flags,
      listModels: (cwd) => listModelIds(io, cwd, flags.home),
      signal: end.signal,
    })
    return exitCodes.done
  } finally {
    restore()
  }
}
