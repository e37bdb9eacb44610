import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Frame, launchBrowser, type Page } from './browser.ts'
import { type Chat, chatOf } from './chat.ts'
import { HostError } from './host.ts'
import { fileOfTool } from './installed.ts'
import type { VsCode } from './start-vscode.ts'
import { timeoutMs, until } from './until.ts'

/** A window of VS Code, as a person sees it. */
export interface Workbench {
  readonly page: Page
  readonly chat: Chat
  /** Runs the command with this title from the command palette. */
  runCommand(title: string): Promise<void>
  /** Clicks the visible button with this text. */
  clickButton(text: string | RegExp): Promise<void>
  /** The text of the visible notifications. */
  notifications(): Promise<string[]>
  /** The document of the webview that has this title or contains this selector. */
  webview(titleOrSelector: string): Promise<Frame>
  /** Enables Copilot's own agent mode with the scripted model. The server must have been started with `copilot: true`. */
  enableCopilot(): Promise<void>
  /** Reloads the window, with a new extension host. */
  reload(): Promise<void>
  /** Saves a picture in the folder CADRE_TEST_SCREENSHOTS or that of the server, and returns its path. */
  screenshot(name: string): Promise<string>
  close(): Promise<void>
}

export async function openWorkbench(code: VsCode): Promise<Workbench> {
  const browser = await launchBrowser()
  try {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } })
    const page = await context.newPage()
    page.setDefaultTimeout(timeoutMs)
    await page.goto(`${code.url}/?folder=${encodeURIComponent(code.workspace)}`)
    await isUp(page, code)
    return {
      page,
      chat: chatOf(page, code),
      runCommand: (title) => runCommand(page, title),
      clickButton: (text) =>
        page.locator('.monaco-button').filter({ hasText: text, visible: true }).first().click(),
      notifications: () => page.locator('.notification-list-item-message').allInnerTexts(),
      webview: (titleOrSelector) => findWebview(page, titleOrSelector),
      enableCopilot: () => enableCopilot(code),
      reload: async () => {
        await page.reload()
        await isUp(page, code)
      },
      screenshot: async (name) => {
        const folder = process.env['CADRE_TEST_SCREENSHOTS'] ?? path.join(code.folder, 'screenshots')
        mkdirSync(folder, { recursive: true })
        const file = path.join(folder, `${name}.png`)
        await page.screenshot({ path: file })
        return file
      },
      close: () => browser.close(),
    }
  } catch (error) {
    await browser.close()
    throw new Error(`The workbench did not open. The server printed:\n${code.output()}`, { cause: error })
  }
}

async function isUp(page: Page, code: VsCode): Promise<void> {
  await page.locator('.monaco-workbench').waitFor()
  await page.locator('.part.statusbar .statusbar-item').first().waitFor()
  await code.host.ready()
}

async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('F1')
  const input = page.locator('.quick-input-widget input').filter({ visible: true }).first()
  await input.fill(`>${title}`)
  const row = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: title }).first()
  await row.click()
}

// A webview is an iframe that contains the extension's document in another iframe.
async function findWebview(page: Page, titleOrSelector: string): Promise<Frame> {
  return until(`a webview with ${titleOrSelector}`, async () => {
    for (const frame of page.frames()) {
      if (frame.url().includes('/webview/') && (await isMeant(frame, titleOrSelector))) return frame
    }
    return undefined
  })
}

async function isMeant(frame: Frame, titleOrSelector: string): Promise<boolean> {
  try {
    return (await frame.title()) === titleOrSelector || (await frame.locator(titleOrSelector).count()) > 0
  } catch {
    // The frame was removed, or a title is not a valid selector.
    return false
  }
}

async function enableCopilot({ host }: VsCode): Promise<void> {
  // VS Code starts another extension host for it, so a request to the first one may never be answered.
  const unlessGone = (error: unknown) => {
    if (error instanceof HostError) throw error
    return false
  }
  await host.command('workbench.action.chat.manage').catch(unlessGone)
  await until('Copilot Chat to be active', () =>
    host
      .run((vscode) => vscode.extensions.getExtension('GitHub.copilot-chat')?.isActive === true)
      .catch(unlessGone),
  )
  await host.ready()
  await host.command('workbench.action.closeActiveEditor')
}

/** Accessibility faults that axe finds in a page or a webview document. */
export async function accessibilityFaults(frame: Frame): Promise<{ id: string; nodes: string[] }[]> {
  await frame.evaluate(readFileSync(fileOfTool('axe-core', 'axe.min.js'), 'utf8'))
  const faults = await frame.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    'axe.run().then(({ violations }) => violations)',
  )
  return faults.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))
}
