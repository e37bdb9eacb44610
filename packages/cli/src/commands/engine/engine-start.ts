import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { CadreError, placeNamePattern } from '@cadre/core'
import { homeOf, rejectUntrusted, untrustedItems, userPaths } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { handleStopSignals } from '../../run/handle-stop-signals.ts'
import { requireOutsideSession } from '../daemon/require-outside-session.ts'
import { engineIdentity } from './engine-identity.ts'
import { findRestateServer } from './find-restate-server.ts'
import { restateConfig } from './restate-config.ts'
import { recordOwner, rejectIfUsed } from './server-owner.ts'

export interface EngineStartFlags {
  readonly home?: string
  readonly port?: number
  readonly adminPort?: number
  readonly nodePort?: number
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre engine start`. */
export async function startEngine(io: Io, flags: EngineStartFlags): Promise<ExitCode> {
  const home = homeOf(io, flags.home, flags.trust)
  requireOutsideSession(home, io)
  if ((await untrustedItems(io, home, flags)).length > 0) {
    const { askTrustInTerminal } = await import('../daemon/ask-trust-in-terminal.ts')
    await askTrustInTerminal(io, { ...flags, home: home.path, workspace: io.cwd })
  }
  rejectUntrusted(home, await untrustedItems(io, home, flags), '"cadre engine start"')
  const program = findRestateServer(io.env)
  const folder = home.folder('engine')
  const identity = engineIdentity(path.dirname(userPaths(io.env).config))
  const ports = {
    ingressPort: flags.port ?? 8080,
    adminPort: flags.adminPort ?? 9070,
    nodePort: flags.nodePort ?? 5122,
  }
  const config = path.join(folder, 'restate.toml')
  await rejectIfUsed(folder)
  writeFileSync(config, restateConfig({ folder, identityFile: identity.file, ...ports }), { mode: 0o600 })
  const log = path.join(folder, 'server.log')
  const output = openSync(log, 'a', 0o600)
  const from = statSync(log).size
  const server = spawn(program, ['--config-file', config, '--no-logo'], {
    stdio: ['ignore', output, output],
    cwd: folder,
    env: { PATH: io.env['PATH'], HOME: io.env['HOME'], DO_NOT_TRACK: '1' },
  })
  closeSync(output)
  endWithThisProcess(server)
  if (server.pid !== undefined) server.once('exit', recordOwner(folder, server.pid))
  const ended = new Promise<string>((resolve) => {
    server.once('error', (error) => resolve(error.message))
    server.once('exit', (code, signal) => resolve(code === null ? `${signal}` : `code ${code}`))
  })
  let isStopping = false
  const giveBack = handleStopSignals(
    () => {
      isStopping = true
      server.kill('SIGTERM')
    },
    () => server.kill('SIGKILL'),
  )
  try {
    const ingress = `http://127.0.0.1:${ports.ingressPort}`
    const admin = `http://127.0.0.1:${ports.adminPort}`
    const why = await Promise.race([untilHealthy([`${ingress}/restate/health`, `${admin}/health`]), ended])
    if (why === undefined) {
      // Another server may answer on these ports.
      const isRunning = await stillRuns(server)
      if (isRunning)
        report(io, flags, {
          server,
          folder,
          settings: home.at('config.yaml'),
          ingress,
          admin,
          publicKey: identity.publicKey,
        })
    }
    const end = why ?? (await ended)
    if (isStopping) return exitCodes.done
    throw new CadreError('backend', `the Restate server ended with ${end}.${lastLine(log, from)}`, {
      where: log,
    })
  } finally {
    giveBack()
  }
}

/**
 * Stops the server when this process ends in any way, `kill -9` included: otherwise it would keep its ports and its data. A shell waits for
 * the end of a pipe that only this process holds open.
 */
function endWithThisProcess(server: ChildProcess): void {
  if (server.pid === undefined) return
  // In a process group of its own, so that Ctrl-C does not end the shell before it has done its work.
  const guard = spawn('/bin/sh', ['-c', 'read _; kill -TERM "$0"', String(server.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
  })
  guard.once('error', () => {})
  guard.unref()
  // The id of a process that has ended may be given to another one.
  server.once('exit', () => guard.kill('SIGKILL'))
}

interface ReadyServer {
  readonly server: ChildProcess
  readonly folder: string
  readonly settings: string
  readonly ingress: string
  readonly admin: string
  readonly publicKey: string
}

function report(io: Io, { json }: EngineStartFlags, ready: ReadyServer): void {
  const { server, folder, settings, ingress, admin, publicKey } = ready
  const host = (hostname().split('.')[0] ?? '')
    .replaceAll(/[^a-z0-9-]/gi, '-')
    .replace(/^-+/, '')
    .slice(0, 63)
  const place = placeNamePattern.test(host) ? host : 'here'
  const engine = { kind: 'restate', ingress, admin, place, identityKeys: [publicKey] }
  if (json) {
    io.stdout.write(
      `${JSON.stringify({ type: 'engine.ready', pid: server.pid, ingress, admin, folder, engine })}\n`,
    )
    return
  }
  io.stdout.write(
    `The Restate server is running in process ${server.pid}. Its data is in ${folder}. Press Ctrl-C to stop.\n` +
      `To use it, add these lines to ${settings}, then run "cadre worker" and "cadre up":\n\n` +
      `engine:\n  kind: restate\n  ingress: ${ingress}\n  admin: ${admin}\n  place: ${place}\n  identityKeys: [${publicKey}]\n`,
  )
}

async function untilHealthy(urls: readonly string[]): Promise<undefined> {
  const isHealthy = (url: string) =>
    fetch(url, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await Promise.all(urls.map(isHealthy))).every(Boolean))
    await new Promise((resolve) => setTimeout(resolve, 50))
  return undefined
}

async function stillRuns(server: ChildProcess): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 200))
  return server.exitCode === null && server.signalCode === null
}

/** The server reports the reason in its log, for example a port in use. */
function lastLine(log: string, from: number): string {
  const lines = readFileSync(log)
    .subarray(from)
    .toString('utf8')
    .trim()
    .split('\n')
    .filter((line) => !/^\W*Visit https?:/.test(line))
  const last = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? ''
  return last === '' ? '' : ` Its log ends with: ${last.slice(0, 400)}`
}
