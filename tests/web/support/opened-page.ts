import type { Role } from '@cadre/api'
import { type OpenedPage, openPage } from '@cadre/server'
import {
  type Browser,
  type Context,
  type ContextOptions,
  launchBrowser,
  type Page,
  untilUsable,
  waitLimit,
} from './browser.ts'
import { type WrittenHome, writtenHome } from './written-home.ts'

/** A real server over a written home, and a real browser. */
export interface Opened {
  readonly home: WrittenHome
  readonly server: OpenedPage
  /** A page that is signed in and live. The first one uses the link; further ones of the same context are signed in already. */
  visit(path?: string): Promise<Page>
  /** Everything that the browser complained about: errors in the console, violations of the content security policy. */
  readonly complaints: string[]
  close(): Promise<void>
}

export interface OpenOptions {
  readonly context?: ContextOptions
  readonly roles?: readonly Role[]
  readonly browser: Browser
  readonly readOnly?: boolean
  /** Changes the variables of the server. By default, a command finds the home. */
  readonly env?: Readonly<Record<string, string>>
}

export { launchBrowser }

export async function open(write: (home: WrittenHome) => void, options: OpenOptions): Promise<Opened> {
  const home = writtenHome()
  write(home)
  const server = await openPage({
    home: home.home,
    environment: {
      env: {
        CADRE_TRUST: '1',
        CADRE_HOME: home.home.path,
        HOME: home.home.folder(),
        PATH: process.env['PATH'],
        ...options.env,
      },
      cwd: home.home.folder(),
      warn: () => {},
    },
    version: '0.0.0',
    grant: { by: 'ann', roles: options.roles ?? ['viewer', 'operator', 'approver'] },
    ...(options.readOnly && { readOnly: true }),
    port: 0,
    tell: () => {},
  })
  const complaints: string[] = []
  const context: Context = await options.browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options.context,
  })
  context.setDefaultTimeout(waitLimit)
  let isSignedIn = false
  return {
    home,
    server,
    complaints,
    async visit(path = '/') {
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      if (!isSignedIn) {
        await page.goto(server.url)
        await untilUsable(page)
        isSignedIn = true
      }
      await page.goto(new URL(path, server.address).href)
      await untilUsable(page)
      return page
    },
    async close() {
      await context.close()
      await server.close()
      home.remove()
    },
  }
}
