/**
 * A home's page without a daemon. It shows the current files and their changes, and records decisions like `cadre approve`.
 *
 * 1. It does not take leases or repair files. Only a decision opens an engine, and closes it afterwards.
 * 2. It ends if nobody uses it for some time.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type JsonObject, sentenceOf } from '@cadre/core'
import { approvalsIn, createVoters, findSandbox } from '@cadre/gate'
import type { Home } from '@cadre/home'
import { readSessionBytes, readStoredSession } from '@cadre/journal'
import { type Environment, openEngine, requireTrustedHome } from '@cadre/runtime'
import { readStatus } from '../daemon/acquire-home.ts'
import { watchHome } from '../watch/watch-home.ts'
import { createPage, type PagePorts } from './create-page.ts'
import { hashOf, type LoginGrant, loginMs } from './guard/login-file.ts'
import type { People } from './guard/people.ts'
import { voteObjection, voterOf } from './guard/voter-of.ts'
import { workspaceOf } from './home-place.ts'
import { pageFolder } from './page-folder.ts'
import { problemOf } from './problem.ts'
import { problemItems } from './problem-items.ts'
import { createSite, type Site } from './site.ts'
import { startHttp } from './start-http.ts'
import { openStaticFiles } from './static-files.ts'

export interface OpenPageOptions {
  readonly home: Home
  readonly environment: Environment
  readonly version: string
  /** The person who may log in, once. */
  readonly grant: LoginGrant
  /** True if nobody may decide. */
  readonly readOnly?: boolean
  /** Default: 7373, or a free port if that is in use. */
  readonly port?: number | undefined
  readonly people?: People
  /** The folder with the page's files. Default: the folder in this package. */
  readonly files?: string
  /** The page ends after this time without a request or an open stream, in milliseconds. */
  readonly idleMs?: number
  readonly tell: (message: string) => void
}

export interface OpenedPage {
  readonly address: string
  /** The address that contains the login's secret. It works once, for 60 seconds. */
  readonly url: string
  /** Resolves when nobody has used the page for some time. */
  readonly idle: Promise<void>
  /** Resolves when everything seen so far is read and sent. For tests. */
  settled(): Promise<void>
  close(): Promise<void>
}

const halfAnHour = 30 * 60_000
const checkMs = 3_000
const purpose = { name: 'the page', remedy: 'Choose another port with --port, or omit --port.' }

export async function openPage(options: OpenPageOptions): Promise<OpenedPage> {
  const { home, tell, idleMs = halfAnHour, port, people } = options
  const login = createLogin(options.grant)
  const page = createPage(portsOf(options, login.take))
  let site: Site | undefined
  let usedAt = performance.now()
  const http = await startHttp({ port, posts: new Map(), site: () => site, purpose })
  const failed = (error: unknown) => tell(`cannot answer a request: ${sentenceOf(error)}`)
  const made = createSite({
    context: page.context,
    place: { port: http.port },
    files: openStaticFiles(options.files ?? pageFolder()),
    failed,
    ...(people && { people }),
  })
  site = {
    ...made,
    answer(request, response, begun) {
      usedAt = performance.now()
      return made.answer(request, response, begun)
    },
  }
  const watching = watchHome({
    home,
    folders: ['sessions', 'tasks'],
    settleMs: 50,
    changed: (_, files) => page.changed(files),
    failed: () => {},
  })
  await watching.start()
  await page.build()
  let isIdle = () => {}
  const idle = new Promise<void>((resolve) => {
    isIdle = resolve
  })
  const timer = setInterval(
    () => {
      page.checkProcesses()
      if (page.context.hub.readers() > 0) usedAt = performance.now()
      if (performance.now() - usedAt > idleMs) isIdle()
    },
    Math.min(checkMs, idleMs / 2),
  ).unref()
  return {
    address: http.address,
    url: `${http.address}/#key=${login.secret}`,
    idle,
    settled: () => page.idle(),
    async close() {
      clearInterval(timer)
      watching.stop()
      page.stop()
      await http.close()
    },
  }
}

function portsOf(options: OpenPageOptions, takeLogin: PagePorts['takeLogin']): PagePorts {
  const { home, environment, version, readOnly = false, tell } = options
  /** Records one decision at a time, each with its own engine. */
  let deciding: Promise<unknown> = Promise.resolve()
  return {
    home,
    environment,
    workspace: workspaceOf(home, environment.cwd),
    version,
    readOnly,
    sandbox: async () => (await findSandbox(environment.env)).kind === 'bubblewrap',
    sessions: {
      read: async (id) => readStoredSession(home, id),
      bytes: (id) => readSessionBytes(home, id),
    },
    approvals: {
      of: async (sessions) =>
        sessions.flatMap((id) => {
          const stored = readStoredSession(home, id)
          return stored === undefined ? [] : approvalsIn(stored)
        }),
      async objections(caller) {
        try {
          await requireTrustedHome(environment, { home: home.path })
        } catch (error) {
          const problem = problemOf(error)
          if (problem === undefined) throw error
          return async () => problem.message
        }
        const voters = createVoters(home, () => {})
        const read = async (id: string) => readStoredSession(home, id)
        return (record) => voteObjection(record, caller, { voters, home, read })
      },
      decide(record, answer, caller) {
        const decided = deciding.then(async () => {
          await requireTrustedHome(environment, { home: home.path })
          const engine = await openEngine(home, tell, { env: environment.env })
          try {
            return await engine.approvals.decide(record, answer, voterOf(caller, engine.approvals.voters))
          } finally {
            await engine.close()
          }
        })
        deciding = decided.catch(() => {})
        return decided
      },
    },
    status: () => ({
      ...((readStatus(home) ?? {}) as unknown as JsonObject),
      running: false,
      home: home.path,
    }),
    problems: () => problemItems(readStatus(home)?.problems ?? []),
    takeLogin,
  }
}

/** One login, kept in memory, because the same process creates and uses it. */
function createLogin(grant: LoginGrant) {
  const secret = randomBytes(32).toString('base64url')
  const hash = Buffer.from(hashOf(secret))
  const until = performance.now() + loginMs
  let isUsed = false
  return {
    secret,
    take(given: string): LoginGrant | undefined {
      if (isUsed || performance.now() > until || !timingSafeEqual(hash, Buffer.from(hashOf(given))))
        return undefined
      isUsed = true
      const uid = process.getuid?.()
      return { ...grant, ...(uid !== undefined && { uid }) }
    },
  }
}
