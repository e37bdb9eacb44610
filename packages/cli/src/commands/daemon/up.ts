import { CadreError } from '@cadre/core'
import { isInside } from '@cadre/disk'
import type { FolderItem } from '@cadre/gate'
import type { Home } from '@cadre/home'
import { type GateFlags, homeOf, rejectUntrusted, resolveWorkspace, untrustedItems } from '@cadre/runtime'
import { assembleDaemon, createDaemon, openDaemonRuntime } from '@cadre/server'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { handleStopSignals } from '../../run/handle-stop-signals.ts'
import { version } from '../../version.ts'
import { daemonLines } from './daemon-lines.ts'
import { startDetached } from './detach.ts'
import { guardTrackedFiles } from './guard-tracked-files.ts'
import { remoteKeeper } from './remote-keeper.ts'
import { requireOutsideSession } from './require-outside-session.ts'

export interface UpFlags extends Pick<GateFlags, 'allow'> {
  readonly home?: string
  readonly workspace?: string
  readonly model?: string
  readonly team?: string
  readonly engine?: 'files' | 'restate'
  readonly trust?: boolean
  readonly detach?: boolean
  readonly log?: string
  readonly json?: boolean
}

/** This process was suspended for so long that another one took over. */
function lostHomeError(home: Home): CadreError {
  const message =
    'this daemon was suspended for too long, and another process has taken over the home directory'
  return new CadreError('owned', `${message}. See which one with "cadre status".`, { where: home.path })
}

/** `cadre up`. */
export async function startDaemon(io: Io, flags: UpFlags): Promise<ExitCode> {
  const home = homeOf(io, flags.home, flags.trust)
  requireOutsideSession(home, io)
  const workspace =
    flags.workspace === undefined && isInside(home.path, io.cwd)
      ? // Agents may not change the home itself.
        home.at('workspaces', 'shared')
      : resolveWorkspace(io, flags.workspace)
  await (await import('./ask-trust-in-terminal.ts')).askTrustInTerminal(io, {
    ...flags,
    home: home.path,
    workspace,
  })
  const guard = guardTrackedFiles(home, () => untrustedItems(io, home, flags))
  rejectUntrusted(home, await untrustedItems(io, home, flags))
  const keeper = await remoteKeeper(io, home, flags.engine, workspace)
  if (flags.detach) return startDetached(io, home, { ...flags, workspace })
  const lines = await daemonLines(io, flags)
  const daemon = createDaemon({
    home,
    ...assembleDaemon({ home, page: { environment: io, version } }),
    open: (outside) => openDaemonRuntime({ ...flags, io, home: home.path, workspace }, home, outside),
    mayAct: guard.mayAct,
    ...(keeper && { keeper: keeper.create }),
    environment: io.env,
    happened: lines.happened,
    emit: lines.event,
    tell: lines.tell,
  })
  const stop = new AbortController()
  const stopped = new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const giveBack = handleStopSignals(
    () => {
      lines.say('Shutting down… Press Ctrl-C again to exit immediately.')
      stop.abort()
    },
    () => process.exit(exitCodes.cancelled),
  )
  const alive = setInterval(() => {}, 2 ** 30)
  try {
    await daemon.start()
    lines.ready(daemon.status(), home, keeper?.place)
    const why = await Promise.race([daemon.asked, stopped, guard.untrusted])
    await daemon.stop()
    if (Array.isArray(why)) rejectUntrusted(home, why as readonly FolderItem[])
    if (why === 'lost') throw lostHomeError(home)
    lines.say('Stopped.')
    return exitCodes.done
  } finally {
    clearInterval(alive)
    giveBack()
  }
}
