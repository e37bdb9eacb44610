import { existsSync } from 'node:fs'
import { CadreError } from '@cadre/core'
import { requirePerson } from '@cadre/gate'
import { daemonLeaseName, type Home, runningProcess } from '@cadre/home'
import { homeOf, personName } from '@cadre/runtime'
import { type LoginGrant, openPage, writeLogin } from '@cadre/server'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { handleStopSignals } from '../../run/handle-stop-signals.ts'
import { version } from '../../version.ts'
import { exportPage } from './export-page.ts'
import { hasDisplay, openBrowser } from './open-browser.ts'
import { waitForPage } from './wait-for-page.ts'

export interface OpenFlags {
  readonly home?: string
  readonly role?: LoginGrant['roles'][number]
  readonly readOnly?: boolean
  readonly port?: number
  readonly noBrowser?: boolean
  readonly export?: string
  readonly session?: string
  readonly json?: boolean
}

/** `cadre open`. */
export async function openPageCommand(io: Io, flags: OpenFlags): Promise<ExitCode> {
  if (flags.readOnly && flags.role !== undefined && flags.role !== 'viewer')
    throw new CadreError('usage', `--read-only and --role ${flags.role} cannot be combined.`)
  const home = homeOf(io, flags.home)
  if (!existsSync(home.path))
    throw new CadreError(
      'configuration',
      'there is no home directory here. Create one with "cadre init --team NAME", or specify one with --home.',
      { where: home.path },
    )
  if (flags.export !== undefined) return exportPage(io, { ...flags, export: flags.export })
  if (flags.session !== undefined)
    throw new CadreError('usage', '--session needs --export: the page shows all sessions.')
  // An agent with a login could approve its own calls.
  requirePerson(home, io.env)
  const grant = grantOf(io, flags)
  return runningProcess(home, daemonLeaseName) === undefined
    ? serveHere(io, flags, home, grant)
    : openAtDaemon(io, flags, home, grant)
}

function grantOf(io: Io, { role, readOnly }: OpenFlags): LoginGrant {
  const roles = readOnly
    ? (['viewer'] as const)
    : role === undefined
      ? (['operator', 'approver'] as const)
      : [role]
  return { by: personName(io.env) ?? 'unknown', roles }
}

async function openAtDaemon(io: Io, flags: OpenFlags, home: Home, grant: LoginGrant): Promise<ExitCode> {
  if (flags.port !== undefined)
    throw new CadreError(
      'usage',
      'a daemon is running and serves the page on its own port. Omit --port, or set daemon.port in config.yaml.',
    )
  const secret = writeLogin(home, grant)
  const address = await waitForPage(home)
  await show(io, flags, { address, url: `${address}/#key=${secret}`, daemon: true, grant })
  return exitCodes.done
}

async function serveHere(io: Io, flags: OpenFlags, home: Home, grant: LoginGrant): Promise<ExitCode> {
  const tell = (message: string) => void io.stderr.write(`cadre: ${cleanText(message)}\n`)
  let stop = () => {}
  const stopped = new Promise<'stopped'>((resolve) => {
    stop = () => resolve('stopped')
  })
  const giveBack = handleStopSignals(stop, () => process.exit(exitCodes.cancelled))
  let page: Awaited<ReturnType<typeof openPage>> | undefined
  try {
    page = await openPage({
      home,
      environment: io,
      version,
      grant,
      readOnly: flags.readOnly === true,
      port: flags.port,
      tell,
    })
    await show(io, flags, { address: page.address, url: page.url, daemon: false, grant })
    const why = await Promise.race([stopped, page.idle.then(() => 'idle' as const)])
    if (why === 'idle' && flags.json !== true)
      io.stdout.write('Nobody has used the page for 30 minutes, so it is closed. Run "cadre open" again.\n')
    return exitCodes.done
  } finally {
    giveBack()
    await page?.close()
  }
}

interface Shown {
  readonly address: string
  readonly url: string
  readonly daemon: boolean
  readonly grant: LoginGrant
}

async function show(io: Io, flags: OpenFlags, { address, url, daemon, grant }: Shown): Promise<void> {
  if (flags.json) {
    io.stdout.write(
      `${JSON.stringify({ type: 'page', url, address, daemon, by: grant.by, roles: grant.roles })}\n`,
    )
    return
  }
  const isOpened = flags.noBrowser !== true && hasDisplay(io) && (await openBrowser(url, io))
  io.stdout.write(
    `${isOpened ? 'Opening the page in your browser. If it does not appear, open this link' : 'Open this link in your browser'}. It works once, for 60 seconds:\n  ${url}\n`,
  )
  if (daemon) return
  io.stdout.write(
    'No daemon is running, so you can inspect and decide, but not start anything. Start one with "cadre up". Press Ctrl-C to close the page.\n',
  )
}
