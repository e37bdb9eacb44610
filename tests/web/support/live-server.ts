import { onTestFinished } from 'vitest'
import { createDaemonPage } from '../../../packages/server/src/daemon/create-daemon-page.ts'
import { writeLogin } from '../../../packages/server/src/http/guard/login-file.ts'
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../../packages/server/src/http/routes/routes.spec-helpers.ts'
import { createSharedHttp } from '../../../packages/server/src/http/shared-http.ts'
import { type Browser, type Page, untilUsable, waitLimit } from './browser.ts'

export interface LiveServer extends TestServer {
  readonly complaints: string[]
  /** A page that is signed in as Ben and live. */
  visit(path?: string): Promise<Page>
}

/** A real daemon with a scripted model that serves the built page, and a browser window. Call it in a test. */
export async function liveServer(browser: Browser, options: TestServerOptions = {}): Promise<LiveServer> {
  const http = createSharedHttp()
  const server = await startTestServer({
    page: (parts) =>
      createDaemonPage(parts, http, {
        environment: {
          env: {
            CADRE_TRUST: '1',
            CADRE_HOME: parts.daemon.home.path,
            HOME: parts.daemon.workspace,
            PATH: process.env['PATH'],
          },
          cwd: parts.daemon.workspace,
          warn: () => {},
        },
        version: '0.0.0',
      }),
    ...options,
  })
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  context.setDefaultTimeout(waitLimit)
  onTestFinished(() => context.close())
  const complaints: string[] = []
  let isSignedIn = false
  return {
    ...server,
    complaints,
    async visit(path = '/') {
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      const secret = isSignedIn
        ? ''
        : `#key=${writeLogin(server.home, { by: 'ben', roles: ['operator', 'approver'] })}`
      isSignedIn = true
      await page.goto(`${server.address}${path}${secret}`)
      await untilUsable(page)
      return page
    },
  }
}
