import type { Draft } from '@cadre/core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Browser, untilTrue } from './support/browser.ts'
import { launchBrowser, open } from './support/opened-page.ts'
import { writeTeam } from './support/team.ts'
import { ended, reply, say, type WrittenHome } from './support/written-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

async function visit(path: string, write: (home: WrittenHome) => void = writeTeam) {
  const opened = await open(write, { browser })
  onTestFinished(() => opened.close())
  return { opened, page: await opened.visit(path) }
}

test("renders a model's Markdown as elements, and never as HTML", async () => {
  const { opened, page } = await visit('/sessions/lead-1')
  await page.locator('.prose h2').waitFor()
  expect(await page.locator('.prose h2').innerText()).toBe('Plan')
  expect(await page.locator('.prose strong').innerText()).toBe('planner')
  expect(await page.locator('.prose img').count()).toBe(0)
  expect(await page.locator('.prose a').count()).toBe(0)
  expect(await page.locator('.prose').nth(1).innerText()).toContain('<img src=x onerror=alert(1)>')
  expect(opened.complaints).toEqual([])
})

test('shows each call with its input, who allowed it by which rule, and its result', async () => {
  const { page } = await visit('/sessions/planner-1')
  const call = page.locator('[data-call="c1"]')
  await call.waitFor()
  expect(await call.locator('summary').innerText()).toContain('allowed by policy: effects.read')
  await call.locator('summary').click()
  await call.locator('.call-body').waitFor()
  expect(await call.innerText()).toContain('src/limits.ts')
  expect(await call.innerText()).toContain('export const perMinute = 6')
})

test('leads to an approval that a session below is waiting for', async () => {
  const { page } = await visit('/sessions/lead-1')
  await page.getByRole('link', { name: '1 pending approval below it' }).click()
  await page.locator('.waiting-detail .approval').filter({ hasText: 'builder-1' }).waitFor()
})

test('shows the conversations of children inside their calls, to any depth', async () => {
  const { page } = await visit('/sessions/lead-1')
  await page.locator('[data-call="c1"] > summary').click()
  const planner = page.locator('.child').first()
  await planner.locator('[data-call="c2"] > summary').click()
  await planner.locator('.child [data-call="c1"]').waitFor()
  expect(await planner.locator('.child').innerText()).toContain('builder-1')
})

test('shows new entries, and loads earlier ones on request', async () => {
  const many = Array.from({ length: 450 }, (_, index) =>
    index % 2 === 0 ? say(`Message ${index}`) : reply(`Reply ${index}`),
  )
  const { opened, page } = await visit('/sessions/lead-1', (home) => home.session('lead-1', many))
  await page.getByText('Reply 449', { exact: true }).waitFor()
  expect(await page.getByText('Message 0', { exact: true }).count()).toBe(0)
  const earlier = page.getByRole('button', { name: 'Show earlier entries' })
  while ((await earlier.count()) > 0) {
    const shown = await page.locator('.entry').count()
    await earlier.click()
    await untilTrue(page, `document.querySelectorAll('.entry').length > ${shown}`)
  }
  expect(await page.locator('.entry').count()).toBe(450)
  opened.home.session('lead-1', [...many, say('One more'), reply('The last one'), ended('lead-1')])
  await page.getByText('The last one', { exact: true }).waitFor()
})

test('shows the journal as it is on disk', async () => {
  const { page } = await visit('/sessions/lead-2?tab=journal')
  await page.locator('.journal .exact').waitFor()
  expect(await page.locator('.journal .exact').innerText()).toContain('Say hello.')
})

test('reports that there is no such session', async () => {
  const { page } = await visit('/sessions/nobody-1')
  await page.locator('[role="alert"]').waitFor()
  expect(await page.locator('[role="alert"]').innerText()).toContain('nobody-1')
  await page.locator('[role="alert"] a').click()
  await page.locator('[data-session="lead-1"]').waitFor()
})

test('the timeline draws calls, marks the critical path and shows the budget of the subtree', async () => {
  const { page } = await visit('/timeline/lead-1')
  await page.locator('.timeline[data-loaded="true"]').waitFor()
  await page.locator('.chart-line[data-session="builder-1"]').waitFor()
  expect(await page.locator('.chart-line[data-session="planner-1"] .bar-call').count()).toBe(2)
  expect(await page.locator('.chart-line .path').count()).toBeGreaterThan(2)
  expect(await page.locator('.burn-part').count()).toBe(2)
  expect(await page.locator('.burn').innerText()).toContain('left of 10k')
})

test('the timeline folds the hours between the end of a session and the next message', async () => {
  const later = (draft: Draft, second: number) =>
    ({ ...draft, timestamp: `2026-11-15T18:00:0${second}.000Z` }) as Draft
  const { page } = await visit('/timeline/lead-1', (home) =>
    home.session('lead-1', [
      say('Begin.'),
      reply('Done.'),
      ended('lead-1'),
      later(say('And now?'), 0),
      later(reply('Done again.'), 4),
      later(ended('lead-1'), 5),
    ]),
  )
  await page.locator('.fold').first().waitFor({ state: 'attached' })
  expect(await page.locator('.fold').count()).toBe(1)
  expect(await page.locator('.fold title').textContent()).toBe('8 h 0 min idle')
  expect(await page.locator('.timeline').innerText()).toContain('idle (folded)')
})

test('the timeline shows what the budget counts, and why it refused a request', async () => {
  const sent = {
    role: 'event',
    type: 'request.sent',
    input: 40_000,
    output: 16_384,
    bytes: 1,
    shape: '',
  } as Draft
  const reason = 'the budget of lead (60000 tokens) does not allow another request'
  const end = ended('lead-1') as Draft & { readonly report: object }
  const refused = {
    ...end,
    report: { ...end.report, status: 'incomplete', notices: [{ code: 'budget_exceeded', message: reason }] },
  } as Draft
  const { page } = await visit('/timeline/lead-1', (home) =>
    home.session('lead-1', [say('Begin.'), sent, { role: 'assistant', content: 'Done.' }, refused], {
      limits: { maxRounds: 30, budget: { tokens: 60_000 } },
    }),
  )
  await page.locator('.timeline[data-loaded="true"] .burn-part').waitFor()
  expect(await page.locator('.burn-part svg').getAttribute('aria-label')).toBe('tokens: 56k of 60k used')
  expect(await page.locator('.burn-first').innerText()).toContain(`Cadre refused a request: ${reason}.`)
})
