// The part of Playwright that the tests use. Playwright is not a dependency: `npm run test:vscode` installs it elsewhere.
import { loadTool } from './installed.ts'

interface Within {
  readonly timeout?: number
}

export interface Locator {
  first(): Locator
  last(): Locator
  nth(index: number): Locator
  locator(selector: string): Locator
  filter(options: { hasText?: string | RegExp; visible?: boolean }): Locator
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  count(): Promise<number>
  click(options?: Within): Promise<void>
  fill(text: string, options?: Within): Promise<void>
  selectOption(value: string): Promise<unknown>
  focus(options?: Within): Promise<void>
  press(key: string, options?: Within): Promise<void>
  hover(options?: Within): Promise<void>
  waitFor(options?: Within & { state?: 'visible' | 'hidden' | 'attached' | 'detached' }): Promise<void>
  isVisible(): Promise<boolean>
  textContent(options?: Within): Promise<string | null>
  allInnerTexts(): Promise<string[]>
  getAttribute(name: string, options?: Within): Promise<string | null>
  inputValue(options?: Within): Promise<string>
}

export interface Frame {
  locator(selector: string): Locator
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator
  evaluate<Result>(script: string): Promise<Result>
  title(): Promise<string>
  url(): string
}

export interface Page extends Frame {
  readonly keyboard: {
    press(key: string): Promise<void>
    type(text: string, options?: { delay?: number }): Promise<void>
    insertText(text: string): Promise<void>
  }
  readonly mouse: {
    move(x: number, y: number, options?: { steps?: number }): Promise<void>
    down(): Promise<void>
    up(): Promise<void>
  }
  frames(): Frame[]
  goto(url: string): Promise<unknown>
  reload(): Promise<unknown>
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
  screenshot(options: { path: string }): Promise<unknown>
  setDefaultTimeout(milliseconds: number): void
  setViewportSize(size: { width: number; height: number }): Promise<void>
}

export interface Browser {
  newContext(options: {
    viewport: { width: number; height: number }
    colorScheme?: 'light' | 'dark'
  }): Promise<{ newPage(): Promise<Page> }>
  close(): Promise<void>
}

interface Playwright {
  readonly chromium: {
    launch(options: { executablePath: string; headless: boolean; args: string[] }): Promise<Browser>
  }
}

/** A headless Chromium that makes no network requests by itself. */
export function launchBrowser(): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
  return loadTool<Playwright>('playwright-core').chromium.launch({
    executablePath: '/usr/bin/chromium',
    headless: true,
    // Root cannot use Chromium's sandbox; every page here is trusted.
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...quiet],
  })
}
