import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityFaults, type Browser, type ContextOptions } from './support/browser.ts'
import { launchBrowser, type Opened, open } from './support/opened-page.ts'
import { writeTeam } from './support/team.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const looks: readonly (readonly [name: string, context: ContextOptions])[] = [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 360, height: 740 } }],
  ['with more contrast', { contrast: 'more' }],
  ['with forced colours', { forcedColors: 'active' }],
  ['on a large screen', { viewport: { width: 3840, height: 2160 } }],
]

const views = [
  ['/', '[data-session="lead-1"]'],
  ['/waiting', '[data-status="pending"]'],
  ['/sessions/lead-1', '.entry-reply .prose h2'],
  ['/sessions/lead-1?tab=journal', '.journal .exact'],
  ['/timeline', '.waiting-item'],
  ['/timeline/lead-1', '.timeline[data-loaded="true"] .bar-call'],
  ['/tasks', '[data-task="limit"]'],
  ['/tasks?as=list', '[data-loaded="true"]'],
  ['/tasks/limit', '[data-detail]'],
  ['/workspaces', '[data-loaded="true"]'],
  ['/agents', '[data-loaded="true"]'],
  ['/agents/builder', '[data-detail]'],
  ['/agents/builder?tab=what-if', '.what-if'],
  ['/problems', '[data-loaded="true"]'],
  ['/audit', '[data-loaded="true"]'],
  ['/search?text=limit', '[data-hit]'],
] as const

describe.each(looks)('%s', (_, context) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open(writeTeam, { browser, context })
  })
  afterAll(() => opened.close())

  test.each(views)('%s has no fault that axe finds, and fits the window', async (path, shown) => {
    const page = await opened.visit(path)
    await page.locator(shown).first().waitFor({ state: 'attached' })
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(opened.complaints).toEqual([])
  })

  test('the list of keys and the palette have no fault that axe finds', async () => {
    const page = await opened.visit()
    for (const key of ['?', 'Control+k']) {
      await page.keyboard.press(key)
      await page.locator('dialog[open]').waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
    }
  })
})
