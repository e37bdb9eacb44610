import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { hostname } from 'node:os'
import { CadreError, type CadreEvent, messageOf } from '@cadre/core'
import { isInside, systemClock } from '@cadre/disk'
import { createAudit } from '@cadre/gate'
import {
  endStoredSession,
  type GateFlags,
  homeOf,
  loadParts,
  openTelemetry,
  orchestrate,
  rejectUntrusted,
  resolveWorkspace,
  untrustedItems,
} from '@cadre/runtime'
import { openCheckouts } from '@cadre/workspaces'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { handleStopSignals } from '../../run/handle-stop-signals.ts'
import { version } from '../../version.ts'
import { daemonLines } from '../daemon/daemon-lines.ts'
import { requireOutsideSession } from '../daemon/require-outside-session.ts'
import { requireEngine } from './engine-settings.ts'
import { partsDigest } from './parts-digest.ts'
import { queryServer } from './query-server.ts'
import { requireRepository } from './require-repository.ts'
import { publishCard, runningWorkers } from './worker-card.ts'

/** How long a worker that stops waits for the admin API, in milliseconds. */
const adminLimit = 2_000

export interface WorkerFlags extends Pick<GateFlags, 'allow'> {
  readonly home?: string
  readonly workspace?: string
  readonly model?: string
  readonly team?: string
  readonly host?: string
  readonly port?: number
  readonly url?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre worker`. */
export async function runWorker(io: Io, flags: WorkerFlags): Promise<ExitCode> {
  const home = homeOf(io, flags.home, flags.trust)
  requireOutsideSession(home, io)
  const isInHome = flags.workspace === undefined && isInside(home.path, io.cwd)
  const workspace = isInHome ? home.at('workspaces', 'shared') : resolveWorkspace(io, flags.workspace)
  const options = { ...flags, home: home.path, workspace }
  await (await import('../daemon/ask-trust-in-terminal.ts')).askTrustInTerminal(io, options)
  rejectUntrusted(home, await untrustedItems(io, home, flags), '"cadre worker"')
  const engine = await requireEngine(io, home)
  const { ingress, admin, place, identityKeys } = engine
  requireAddress(flags.url)
  // The folder of the checkouts has the port in its name.
  const needsPort = flags.port === 0 && engine.workspace === 'checkout'
  const port = needsPort ? await findFreePort(flags.host) : (flags.port ?? 9080)
  const lines = await daemonLines(io, { json: flags.json === true })
  const happened = (type: string, message: string, rest: object = {}) =>
    lines.happened({ type, message, ...rest })
  const telemetry = await openTelemetry(io.env, { tell: lines.tell, home: () => home.path, joins: false })
  const parts = await loadParts(io, {
    ...options,
    tell: lines.tell,
    telemetry,
    needsHome: true,
    startsServers: true,
  })
  for (const { message } of parts.notices) lines.tell(message)
  const audit = createAudit({ home, tell: lines.tell, environment: io.env })
  let observe: (event: CadreEvent) => void = () => {}
  const emit = (event: CadreEvent) => {
    observe(event)
    audit(event)
    telemetry?.take(event)
    lines.event(event)
  }
  const checkouts =
    engine.workspace === 'checkout'
      ? openCheckouts({
          home,
          repository: await requireRepository(engine, home, workspace),
          worker: `${hostname().replace(/[^\w-]+/g, '-')}-${port}`,
          report: lines.tell,
        })
      : undefined
  // Large, and only workers need it.
  const { handOverPlace, placeNames, registerWorker, restateFailure, serveWorker } = await import(
    '@cadre/restate'
  )
  const worker = await serveWorker({
    parts: {
      createOrchestrator: (engine) => orchestrate(parts, { engine, emit, telemetry, checkouts }),
      endSession: endStoredSession,
      clock: systemClock,
      onTree(root, isRunning) {
        happened(
          isRunning ? 'tree.started' : 'tree.stopped',
          `${root} ${isRunning ? 'is running on this worker' : 'is no longer running on this worker'}.`,
          { session: root },
        )
        if (!isRunning) void checkouts?.leave(root, false)
      },
      ...(checkouts && { onLife: checkouts.begin }),
      report: lines.tell,
    },
    ingress,
    place,
    port,
    ...(flags.host !== undefined && { host: flags.host }),
    ...(identityKeys.length > 0 && { identityKeys }),
  })
  observe = (event) => worker.observe(event)
  let withdraw: () => Promise<void> = async () => {}
  let stop: () => void = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const giveBack = handleStopSignals(
    () => {
      lines.say('Waiting for running calls, then shutting down… Press Ctrl-C again to exit immediately.')
      stop()
    },
    () => process.exit(exitCodes.cancelled),
  )
  try {
    const url = flags.url ?? worker.url
    const deployment = await registerWorker({ admin, url, place, report: lines.tell })
    const digest = partsDigest(io, parts, workspace, flags)
    const card = { url, version, workspace, digest, checksSignatures: identityKeys.length > 0 }
    withdraw = await publishCard({
      ingress,
      object: placeNames(place).blobs,
      card,
      report: lines.tell,
      reasonOf: (error) => restateFailure(error, 'engine.ingress'),
    })
    const ready = `This worker runs sessions for place ${place} and listens at ${url}. Agents work in ${checkouts === undefined ? workspace : `checkouts of ${checkouts.repository}`}. Press Ctrl-C to stop.`
    happened('worker.ready', ready, { pid: process.pid, url, place, deployment, workspace, digest })
    await stopped
    const handOver = async (report: (message: string) => void) => {
      try {
        const query = (sql: string) => queryServer(admin, sql, adminLimit)
        const workers = await runningWorkers(query, placeNames(place).blobs)
        const others = workers
          .filter(({ host, pid }) => host !== hostname() || pid !== process.pid)
          .map((other) => other.url)
        if (others.length === 0) return
        const to = await handOverPlace({ admin, url, place, deployment, others })
        if (to !== undefined) lines.say(`New sessions of place ${place} now start on the worker at ${to}.`)
      } catch (error) {
        report(
          `cannot hand over place ${place} to another worker: ${restateFailure(error, 'engine.admin')} If another worker is running, restart it.`,
        )
      }
    }
    const first = handOver(() => {})
    await worker.drain()
    await first
    // Again, because a worker that stopped at the same time may have handed the place over to this one.
    await handOver(lines.tell)
    happened('worker.stopped', 'Stopped.')
    return exitCodes.done
  } finally {
    await withdraw()
    await worker.close()
    giveBack()
    await parts.servers.close().catch((error: unknown) => lines.tell(messageOf(error)))
    await telemetry?.close()
  }
}

async function findFreePort(host: string | undefined): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function requireAddress(url: string | undefined): void {
  if (url === undefined || /^https?:\/\/[^\s/?#@]+\/?$/.test(url)) return
  // It may contain a password.
  const given = url.includes('@') ? '' : `, not ${JSON.stringify(url)}`
  throw new CadreError(
    'usage',
    `--url must be an address such as http://10.0.0.5:9080, without a user name or password${given}.`,
  )
}
