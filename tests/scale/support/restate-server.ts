import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@cadre/testing'
import { restateConfig } from '../../../packages/cli/src/commands/engine/restate-config.ts'
import { endWithUs } from './end-with-us.ts'

export interface RestateServer {
  readonly ingress: string
  readonly admin: string
  readonly process: ChildProcess
  /** Kills the process. */
  kill(): Promise<void>
  /** Stops the process, as if its machine stood still. */
  stop(): void
  continue(): void
  /** Starts it again on the same data and ports. */
  restart(): Promise<RestateServer>
  query(sql: string): Promise<Record<string, unknown>[]>
  /** Changes an invocation: `pause`, `resume?deployment=latest`, `kill`, `cancel`. Returns the status code. */
  change(invocation: string, verb: string): Promise<number>
}

export interface RestateServerOptions {
  readonly folder: string
  readonly ports?: readonly [number, number, number]
  /** Lines for the end of the server's configuration. */
  readonly extra?: string
}

/** Starts the server that `npm run test:scale` installed, on loopback only. Resolves when it accepts requests. */
export async function startRestateServer(options: RestateServerOptions): Promise<RestateServer> {
  const { folder, extra = '' } = options
  const program = process.env['CADRE_TEST_RESTATE']
  if (program === undefined) throw new Error('CADRE_TEST_RESTATE is not set. Run "npm run test:scale".')
  const ports = options.ports ?? [await freePort(), await freePort(), await freePort()]
  const [ingressPort, adminPort, nodePort] = ports
  mkdirSync(folder, { recursive: true })
  const config = join(folder, 'restate.toml')
  writeFileSync(config, restateConfig({ folder, ingressPort, adminPort, nodePort }) + extra)
  const log = openSync(join(folder, 'server.log'), 'a')
  const server = spawn(program, ['--config-file', config, '--no-logo'], { stdio: ['ignore', log, log] })
  closeSync(log)
  endWithUs(server)
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const ingress = `http://127.0.0.1:${ingressPort}`
  const admin = `http://127.0.0.1:${adminPort}`
  await untilHealthy([`${ingress}/restate/health`, `${admin}/health`], server, folder)
  return {
    ingress,
    admin,
    process: server,
    async kill() {
      server.kill('SIGKILL')
      await ended
    },
    stop: () => void server.kill('SIGSTOP'),
    continue: () => void server.kill('SIGCONT'),
    restart: () => startRestateServer({ ...options, ports: [ingressPort, adminPort, nodePort] }),
    async query(sql) {
      const response = await fetch(`${admin}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query: sql }),
      })
      if (!response.ok) throw new Error(`${sql}: ${await response.text()}`)
      return ((await response.json()) as { rows: Record<string, unknown>[] }).rows
    },
    async change(invocation, verb) {
      return (await fetch(`${admin}/invocations/${invocation}/${verb}`, { method: 'PATCH' })).status
    },
  }
}

async function untilHealthy(urls: readonly string[], server: ChildProcess, folder: string): Promise<void> {
  const isHealthy = (url: string) =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await Promise.all(urls.map(isHealthy))).every(Boolean)) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error(`the Restate server ended:\n${readFileSync(join(folder, 'server.log'), 'utf8')}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
