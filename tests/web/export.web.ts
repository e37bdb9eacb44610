import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { readStoredSession } from '@cadre/journal'
import { exportHtml, exportRun } from '@cadre/server'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { accessibilityFaults, type Browser, type ContextOptions } from './support/browser.ts'
import { launchBrowser } from './support/opened-page.ts'
import { writeTeam } from './support/team.ts'
import { ended, reply, result, say, started, writtenHome } from './support/written-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const secret = `ghp_${'a1'.repeat(18)}`
const hostile = '</script><script>alert(1)</script><!-- <script> \u2028\u2029 ]]> &lt; \ud800'

/** Exports a run that tries to break out, and opens the file. */
async function opened(context: ContextOptions = {}) {
  const home = writtenHome()
  onTestFinished(() => home.remove())
  writeTeam(home)
  home.session(
    'worker-1',
    [
      say(`Look: ${hostile}`),
      reply(`Answer: ${hostile} ${secret}`, ['c1', 'read_file', { path: hostile, token: 'hunter2hunter2' }]),
      started('c1'),
      result('c1', `Found ${hostile} in the variable: s3cr3t-value-1`),
      ended('worker-1', hostile),
    ],
    {
      root: 'lead-1',
      parent: { session: 'lead-1', call: 'c1' },
      depth: 1,
      chain: ['lead', 'worker'],
      work: { content: hostile },
    },
  )
  const ids = ['lead-1', 'planner-1', 'builder-1', 'worker-1']
  const run = await exportRun({
    sessions: ids.flatMap((id) => readStoredSession(home.home, id) ?? []),
    root: 'lead-1',
    shown: 'lead-1',
    isRunning: false,
    env: { DEPLOY_TOKEN: 's3cr3t-value-1' },
    version: '0.0.0',
    now: '2026-11-15T11:00:00.000Z',
  })
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre export #?&-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'run.html')
  const html = exportHtml(run)
  writeFileSync(file, html)
  const window = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...context,
  })
  onTestFinished(() => window.close())
  const page = await window.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(pathToFileURL(file).href)
  await page.locator('[data-ready="true"]').waitFor()
  return { page, html, complaints, requests }
}

test('the file shows the tree, the conversations and the timeline, and does not send requests', async () => {
  const { page, complaints, requests } = await opened()
  await page.locator('[data-session="builder-1"]').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.session[data-session="lead-1"]').waitFor()
  await page.locator('.entry-reply .prose h2').waitFor()
  expect(page.url()).toContain('#/sessions/lead-1')
  expect(await page.locator('.session-side').innerText()).toContain('read-only')
  expect(await page.getByRole('link', { name: 'Journal' }).count()).toBe(0)
  await page.reload()
  await page.locator('.session[data-session="lead-1"]').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.locator('.timeline[data-loaded="true"] .bar-call').first().waitFor({ state: 'attached' })
  await page.goBack()
  await page.locator('.session[data-session="lead-1"]').waitFor()
  expect(complaints).toEqual([])
  expect(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([])
})

test('no text in the run can leave its element or run as code, and everything is shown', async () => {
  const { page, html, complaints } = await opened()
  expect(html.match(/<script/gi)).toHaveLength(2)
  expect(html.match(/<\/script/gi)).toHaveLength(2)
  expect(html.slice(html.indexOf('id="run"'))).not.toMatch(/<!--|[\u2028\u2029]/)
  await page.goto(`${page.url()}#/sessions/worker-1`)
  await page.locator('.entry-message').waitFor()
  expect(await page.locator('.entry-message').first().innerText()).toContain(
    '</script><script>alert(1)</script><!--',
  )
  expect(complaints).toEqual([])
})

test('masks secrets: known formats, named values and values from the environment', async () => {
  const { html } = await opened()
  for (const text of [secret, 'hunter2hunter2', 's3cr3t-value-1']) expect(html).not.toContain(text)
  expect(html).toContain('ghp_***')
})

test.each([
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 360, height: 740 } }],
] as const)('%s, axe finds no fault', async (_, context) => {
  const { page } = await opened(context)
  for (const [address, shown] of [
    ['#/', '[data-session="lead-1"]'],
    ['#/sessions/lead-1', '.entry-reply'],
    ['#/timeline/lead-1', '.timeline[data-loaded="true"]'],
  ] as const) {
    await page.goto(page.url().replace(/#.*|$/, address))
    await page.locator(shown).first().waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  }
})
