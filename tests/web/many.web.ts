/** A home with 10,000 sessions: everything is reachable, and no change is lost. How fast that is, `npm run bench` measures. */
import type { Page as Answer, SessionRow } from '@cadre/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shortNumber } from '../../packages/web/src/parts/format.ts'
import { until } from '../cli/support/until.ts'
import { ask } from './support/ask.ts'
import { type Browser, type Page, untilTrue } from './support/browser.ts'
import { launchBrowser, type Opened, open } from './support/opened-page.ts'
import { commandTree, untilShown } from './support/shown-tree.ts'
import { reply, result, say, started, type WrittenHome } from './support/written-home.ts'

const [runs, children] = [500, 19]
const leadOf = (run: number) => `lead-${String(run).padStart(3, '0')}`

let browser: Browser
let site: Opened
beforeAll(async () => {
  browser = await launchBrowser()
  site = await open(
    (home) => {
      for (let run = 0; run < runs; run++) writeRun(home, run)
    },
    { browser },
  )
  // Until then the server sends the rows of runs that the page has not asked for.
  const page = await site.visit('/waiting')
  await untilRuns(page, (rows) => rows.every(isReadCompletely))
  await page.close()
})
afterAll(async () => {
  await site.close()
  await browser.close()
})

test('does not show a list that is loaded in part as complete', async () => {
  const page = await site.visit()
  // The page lists 200 runs, and then opens the first four of those that have not ended.
  const shown = 200 + 4 * children
  await page
    .locator('.toolbar')
    .filter({ hasText: `${shown}+ sessions` })
    .waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.getByText('This list shows the 200 most recently changed runs.').waitFor()
  await page.close()
})

test('draws few of 10,000 sessions, and reads all runs page by page on the way to the last one', async () => {
  const page = await site.visit()
  const list = '[role="row"][aria-level="1"]'
  await page.locator(list).first().waitFor()
  expect(await page.locator(list).first().getAttribute('aria-setsize')).toBe('200')
  await page.locator('[role="treegrid"]').focus()
  for (const known of [200, 400, runs]) {
    await page.keyboard.press('End')
    await untilTrue(page, `document.querySelector('${list}[aria-selected="true"][aria-posinset="${known}"]')`)
    expect(await page.locator('[role="row"][data-session]').count()).toBeLessThan(80)
    if (known < runs)
      await untilTrue(page, `Number(document.querySelector('${list}').ariaSetSize) > ${known}`)
  }
  expect(await page.locator('[aria-selected="true"]').getAttribute('data-session')).toBe(leadOf(runs - 1))
  expect(site.complaints).toEqual([])
  await page.close()
})

test('finds one of 10,000 sessions, and loses none of 2,000 changes', async () => {
  const [changed, watched] = [35, 7]
  const page = await site.visit(`/?filter=worker-${watched}-`)
  await page.locator(`[data-session="worker-${watched}-${children - 1}"]`).waitFor()
  for (let length = 3; length <= 5; length++)
    for (let run = 0; run < changed; run++) {
      for (let index = 0; index < children; index++) writeChild(site.home, run, index, length)
      // The server reads some files while others are written.
      await new Promise((resolve) => setImmediate(resolve))
    }
  const wanted = await commandTree(site.home.home, leadOf(watched))
  expect(wanted).toHaveLength(children + 1)
  expect(await untilShown(page, wanted)).toEqual(wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  // The last change doubles what each child has used.
  const used = shortNumber(2000)
  await untilTrue(
    page,
    `[...document.querySelectorAll('[data-session^="worker-${watched}-"]')].filter((row) => row.innerText.includes('${used}')).length === ${children}`,
  )
  await untilRuns(page, (rows) =>
    rows.every(({ id, subtree }) => subtree.calls === (id < leadOf(changed) ? children : 0)),
  )
  expect(site.complaints).toEqual([])
  await page.close()
})

/** Waits until the server's rows of all runs are so. */
async function untilRuns(page: Page, isSo: (rows: readonly SessionRow[]) => boolean): Promise<void> {
  await until(async () => {
    const { items } = await ask<Answer<SessionRow>>(page, `/api/sessions?roots=true&limit=${runs}`)
    return items.length === runs && isSo(items)
  })
}

function isReadCompletely({ subtree }: SessionRow): boolean {
  return subtree.sessions === children + 1 && subtree.usage.output === (children + 1) * 100
}

function writeRun(home: WrittenHome, run: number): void {
  const calls = Array.from({ length: children }, (_, index) => `c${index}`)
  const delegate = calls.map((call): [string, string, object] => [
    call,
    'delegate_task',
    { subagent_type: 'worker', prompt: 'Work.' },
  ])
  home.session(
    leadOf(run),
    [
      say(`Run ${run}.`),
      reply('I delegate.', ...delegate),
      ...calls.map((call, index) => started(call, { child: `worker-${run}-${index}` })),
    ],
    { work: { content: `Run ${run}.` } },
  )
  for (let index = 0; index < children; index++) writeChild(home, run, index, 2)
}

/** A child with so many entries of its work. */
function writeChild(home: WrittenHome, run: number, index: number, length: number): void {
  const id = `worker-${run}-${index}`
  const entries = [
    say('Work.'),
    reply('I read.', ['c1', 'read_file', { path: 'a.ts' }]),
    started('c1'),
    result('c1', 'x'),
    reply('I have read.'),
  ]
  home.session(id, entries.slice(0, length), {
    root: leadOf(run),
    parent: { session: leadOf(run), call: `c${index}` },
    depth: 1,
    work: { content: 'Work.' },
  })
}
