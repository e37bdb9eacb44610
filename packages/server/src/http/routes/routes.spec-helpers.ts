import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Client, createClient, type Role } from '@cadre/api'
import type { Home } from '@cadre/home'
import { onTestFinished } from 'vitest'
import { createDaemonPage } from '../../daemon/create-daemon-page.ts'
import {
  type TestDaemon,
  type TestDaemonOptions,
  template,
  temporaryHome,
  testDaemon,
  until,
} from '../../daemon/daemon.spec-helpers.ts'
import { writeLogin } from '../guard/login-file.ts'
import type { People } from '../guard/people.ts'
import { type Answered, type Sent, send } from '../page.spec-helpers.ts'
import { createSharedHttp } from '../shared-http.ts'

export interface TestServer {
  readonly home: Home
  readonly workspace: string
  readonly daemon: TestDaemon
  readonly address: string
  /** A client of the page, logged in as Ann with the roles operator and approver. */
  readonly client: Client
  /** Sends a request with that client's login. */
  ask(target: string, sent?: Sent): Promise<Answered>
  logIn(by: string, roles: readonly Role[]): Promise<Readonly<Record<string, string>>>
}

export interface TestServerOptions extends TestDaemonOptions {
  readonly agents?: readonly string[]
  /** People with tokens. */
  readonly people?: (home: Home) => People
  /** Called before the daemon starts. */
  readonly prepare?: (home: Home, workspace: string) => void
}

/** A daemon with a page on a free port, and a real home. Stopped at the end of the test. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { agents = ['worker'], prepare, people, ...rest } = options
  const { home, workspace } = temporaryHome()
  for (const agent of agents) template(home, agent)
  prepare?.(home, workspace)
  const files = mkdtempSync(path.join(tmpdir(), 'cadre-page-files-'))
  onTestFinished(() => rmSync(files, { recursive: true, force: true }))
  const environment = {
    env: { HOME: files, PATH: process.env['PATH'], CADRE_TRUST: '1' },
    cwd: workspace,
    warn: () => {},
  }
  const http = createSharedHttp()
  const daemon = testDaemon(home, workspace, {
    settings: { port: 0 },
    page: (parts) =>
      createDaemonPage(parts, http, {
        environment,
        version: '0.0.0',
        files,
        ...(people && { people: people(home) }),
      }),
    ...rest,
  })
  await daemon.start()
  writeLogin(home, { by: 'nobody', roles: ['viewer'] })
  const address = await until(() => daemon.status().page)
  const logIn = async (by: string, roles: readonly Role[]) => {
    const secret = writeLogin(home, { by, roles })
    const answer = await send(address, '/api/login', { method: 'POST', body: { secret } })
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
    const cookie = String(answer.headers['set-cookie']?.[0]).split(';', 1)[0] ?? ''
    return { cookie, 'x-cadre-key': answer.json<{ key: string }>().key }
  }
  const headers = await logIn('ann', ['operator', 'approver'])
  const client = createClient({
    address,
    fetch: (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), ...headers } }),
  })
  return {
    home,
    workspace,
    daemon,
    address,
    client,
    logIn,
    ask: (target, sent = {}) => send(address, target, { ...sent, headers: { ...headers, ...sent.headers } }),
  }
}

/** Names that must never become part of a path. */
export const hostileNames = [
  '..',
  '%2e%2e',
  '..%2f..%2fconfig.yaml',
  '..%5c..%5cconfig',
  '%2fetc%2fpasswd',
  'a%2fb',
  '.hidden',
  'a%00b',
  'a%0ab',
  'x'.repeat(250),
  '%F0%9F%92%A9%2f..',
  '%E2%80%AEevil',
  'con:aux',
] as const
