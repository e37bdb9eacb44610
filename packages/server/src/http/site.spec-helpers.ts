import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Role } from '@cadre/api'
import { approvalsIn } from '@cadre/gate'
import type { Home } from '@cadre/home'
import { readSessionBytes, readStoredSession } from '@cadre/journal'
import { onTestFinished } from 'vitest'
import { createPage, type Page, type PagePorts } from './create-page.ts'
import { consumeLogin, hashOf, writeLogin } from './guard/login-file.ts'
import type { People } from './guard/people.ts'
import { send } from './page.spec-helpers.ts'
import { createSite } from './site.ts'
import { startHttp } from './start-http.ts'
import { openStaticFiles } from './static-files.ts'

export interface TestSite {
  readonly page: Page
  readonly address: string
  readonly port: number
  /** Logs in through a file in the home, and returns the headers of both halves. */
  login(roles?: readonly Role[], by?: string): Promise<Readonly<Record<string, string>>>
  /** Errors from routes. */
  readonly failures: unknown[]
}

export interface TestSiteOptions extends Partial<Omit<PagePorts, 'people'>> {
  readonly people?: People
  readonly now?: () => number
  readonly hosts?: readonly string[]
}

/** A server with the whole site on a free port, login files, and decisions that the test controls. Closed at the end of the test. */
export async function testSite(home: Home, options: TestSiteOptions = {}): Promise<TestSite> {
  const files = mkdtempSync(path.join(tmpdir(), 'cadre-site-'))
  writeFileSync(path.join(files, 'files.json'), '["index.html","main-1.js"]')
  writeFileSync(path.join(files, 'index.html'), '<!doctype html><title>Cadre</title>')
  writeFileSync(path.join(files, 'main-1.js'), 'export {}')
  writeFileSync(path.join(files, 'unlisted.js'), 'secret')
  const { people, now, hosts, ...ports } = options
  const failures: unknown[] = []
  const page = createPage({
    home,
    environment: { env: {}, cwd: files, warn: () => {} },
    workspace: files,
    version: '0.0.0',
    readOnly: false,
    sandbox: async () => true,
    sessions: { read: async (id) => readStoredSession(home, id), bytes: (id) => readSessionBytes(home, id) },
    approvals: {
      of: async (ids) =>
        ids.flatMap((id) => {
          const stored = readStoredSession(home, id)
          return stored === undefined ? [] : approvalsIn(stored)
        }),
      objections: async () => async () => undefined,
      decide: async (record, answer) => ({ kind: 'recorded', answer, record }),
    },
    status: () => ({}),
    problems: () => [],
    takeLogin: (secret) => consumeLogin(home, secret),
    ...ports,
  })
  const http = await startHttp({ port: 0, posts: new Map(), site: () => site })
  const site = createSite({
    context: page.context,
    place: { port: http.port, hosts },
    files: openStaticFiles(files),
    failed: (error) => failures.push(error),
    ...(people && { people }),
    ...(now && { now }),
  })
  await page.build()
  onTestFinished(async () => {
    page.stop()
    await http.close()
    rmSync(files, { recursive: true, force: true })
  })
  return {
    page,
    address: http.address,
    port: http.port,
    failures,
    async login(roles = ['admin'], by = 'ann') {
      const secret = writeLogin(home, { by, roles })
      const answer = await send(http.address, '/api/login', { method: 'POST', body: { secret } })
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
      const cookie = String(answer.headers['set-cookie']?.[0]).split(';', 1)[0] ?? ''
      return { cookie, 'x-cadre-key': answer.json<{ key: string }>().key }
    },
  }
}

/** People whose token repeats the name of their role. */
export const peopleByRole: People = {
  findByTokenHash(hash) {
    const role = (['viewer', 'operator', 'approver', 'admin'] as const).find(
      (one) => hash === hashOf(tokenOf(one)),
    )
    return role && { name: role, roles: [role] }
  },
}

export function tokenOf(role: Role): string {
  return `${role}-token-${role}`
}
