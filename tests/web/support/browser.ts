// The part of Playwright that the tests use. Playwright is not a dependency: `npm run test:web` installs it elsewhere.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

export interface Locator {
  first(): Locator
  nth(index: number): Locator
  locator(selector: string): Locator
  filter(options: { hasText?: string | RegExp }): Locator
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  count(): Promise<number>
  click(): Promise<void>
  dblclick(): Promise<void>
  fill(text: string): Promise<void>
  selectOption(value: string): Promise<unknown>
  focus(): Promise<void>
  hover(): Promise<void>
  waitFor(options?: { state?: 'visible' | 'hidden' | 'attached' | 'detached' }): Promise<void>
  isVisible(): Promise<boolean>
  isDisabled(): Promise<boolean>
  innerText(): Promise<string>
  inputValue(): Promise<string>
  textContent(): Promise<string | null>
  allInnerTexts(): Promise<string[]>
  getAttribute(name: string): Promise<string | null>
  dragTo(target: Locator): Promise<void>
}

export interface Page {
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  locator(selector: string): Locator
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator
  evaluate<Result>(script: string): Promise<Result>
  waitForFunction(script: string): Promise<unknown>
  goto(url: string): Promise<unknown>
  goBack(): Promise<unknown>
  reload(): Promise<unknown>
  url(): string
  content(): Promise<string>
  title(): Promise<string>
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
  on(event: 'pageerror', listener: (error: Error) => void): void
  on(event: 'request', listener: (request: { url(): string }) => void): void
  route(
    url: string,
    handle: (route: {
      request(): { method(): string; headers(): Record<string, string> }
      continue(changes: { headers: Record<string, string> }): Promise<void>
    }) => Promise<void>,
  ): Promise<void>
  screenshot(options: { path: string }): Promise<unknown>
  close(): Promise<void>
}

/** For each action and each state that a test waits for. A page needs a tenth of it on a busy machine. */
export const waitLimit = 60_000

export interface Context {
  setDefaultTimeout(milliseconds: number): void
  newPage(): Promise<Page>
  close(): Promise<void>
}

export interface ContextOptions {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
  readonly reducedMotion?: 'reduce'
  readonly contrast?: 'more'
  readonly forcedColors?: 'active'
  readonly locale?: string
  readonly timezoneId?: string
}

export interface Browser {
  newContext(options: ContextOptions): Promise<Context>
  close(): Promise<void>
}

interface Playwright {
  readonly chromium: {
    launch(options: { executablePath: string; args: string[]; timeout: number }): Promise<Browser>
  }
}

function installed(): string {
  const folder = process.env['CADRE_TEST_WEB']
  if (folder === undefined)
    throw new Error('CADRE_TEST_WEB is not set: run `npm run test:web` once; it prints it.')
  return folder
}

/** A headless Chromium that makes no network requests by itself. */
export function launchBrowser(): Promise<Browser> {
  const load = createRequire(path.join(installed(), 'package.json'))
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
  return (load('playwright-core') as Playwright).chromium.launch({
    executablePath: '/usr/bin/chromium',
    // Root cannot use Chromium's sandbox; every page here is trusted.
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...quiet],
    timeout: 180_000,
  })
}

/** Waits until the page is live and its view is shown, so that keys have an effect. */
export async function untilUsable(page: Page): Promise<void> {
  await page.locator('[data-state="live"] main[aria-busy="false"]').waitFor()
}

/** What axe finds wrong with the page, as lines. The script is evaluated: a script tag would break the page's own rules. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const axe = readFileSync(path.join(installed(), 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')
  return page.evaluate(`${axe};axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)
}

/** Waits until an expression is true in the page. Unlike Playwright's own wait, it works when the page's policy forbids `eval`. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate<boolean>(`Boolean(${expression})`)))
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
}
