/** Everything can be done without a pointer: each view by its keys, and each control by Tab. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Browser, type Page, untilUsable } from './support/browser.ts'
import { launchBrowser, open } from './support/opened-page.ts'
import { writeTeam } from './support/team.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

async function opened() {
  const site = await open(writeTeam, { browser })
  onTestFinished(() => site.close())
  return site
}

test('opens every view with its keys', async () => {
  const { visit } = await opened()
  const page = await visit()
  // As in "Runs (g r)".
  const titles = await page.evaluate<string[]>(
    `[...document.querySelectorAll('nav a[title]')].map(({ title }) => title)`,
  )
  expect(titles.length).toBeGreaterThan(8)
  for (const title of titles) {
    const [, name = '', keys = ''] = /^(.*) \((.*)\)$/.exec(title) ?? []
    for (const key of keys.split(' ')) await page.keyboard.press(key)
    await page.locator(`nav [aria-current="page"]`).filter({ hasText: name }).waitFor()
    await untilUsable(page)
  }
})

/** Delays a view's code. Returns a function that lets it arrive. */
async function delay(page: Page, name: string): Promise<() => void> {
  let load = () => {}
  const loads = new Promise<void>((resolve) => {
    load = resolve
  })
  await page.route(`**/${name}-*.js`, async (route) => {
    await loads
    await route.continue({ headers: route.request().headers() })
  })
  return load
}

test('letters typed while a view loads open no other view, and go into its field', async () => {
  const { visit } = await opened()
  const page = await visit()
  const load = await delay(page, 'search')
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  await page.locator('main[aria-busy="true"]').waitFor()
  await page.keyboard.type('wrong')
  await page.keyboard.press('Escape')
  await page.keyboard.type('rigs?')
  expect(new URL(page.url()).pathname).toBe('/search')
  expect(await page.locator('dialog').count()).toBe(0)
  load()
  await untilUsable(page)
  await page.keyboard.type(' too')
  expect(await page.locator('.search input').inputValue()).toBe('rigs? too')
})

test('a search that was typed while the view loads is sent', async () => {
  const { visit } = await opened()
  const page = await visit()
  const load = await delay(page, 'search')
  await page.getByRole('link', { name: /^Search/ }).click()
  await page.locator('main[aria-busy="true"]').waitFor()
  await page.keyboard.type('rate limit')
  await page.keyboard.press('Enter')
  load()
  await page.locator('.search [data-hit]').first().waitFor()
  expect(new URL(page.url()).search).toBe('?text=rate+limit')
})

test('a filter that was typed while the view loads is applied, and keys before it do nothing', async () => {
  const { visit } = await opened()
  const page = await visit()
  const load = await delay(page, 'tasks')
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.locator('main[aria-busy="true"]').waitFor()
  await page.keyboard.type('n/state:open')
  load()
  await untilUsable(page)
  expect(await page.getByRole('searchbox', { name: 'Filter tasks' }).inputValue()).toBe('state:open')
  expect(new URL(page.url()).search).toBe('?filter=state%3Aopen')
  expect(await page.locator('dialog').count()).toBe(0)
})

const places = [
  '/',
  '/waiting',
  '/sessions/lead-1',
  '/timeline/lead-1',
  '/tasks',
  '/agents/builder',
  '/audit',
  '/search?text=limit',
]

test.each(places)('reaches every control of %s with Tab, and shows where the focus is', async (place) => {
  const { visit } = await opened()
  const page = await visit(place)
  await page.locator('main h1, .session-head').first().waitFor()
  await page.locator('main [data-loaded="false"]').waitFor({ state: 'detached' })
  // Rows of a tree, cards of a board and lines of a list have one stop together; keys move inside.
  const controls = await page.evaluate<number>(`(() => {
    const inside = '[role="treegrid"] *, [role="listbox"] *, [role="grid"] *, [role="toolbar"] *, [role="tablist"] *'
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
      .filter((one) => !one.disabled && one.tabIndex >= 0 && one.checkVisibility() && !one.matches(inside))
    all.forEach((one, index) => one.setAttribute('data-stop', String(index)))
    return all.length
  })()`)
  expect(controls).toBeGreaterThan(8)
  const reached = new Set<string>()
  const hidden: string[] = []
  for (let count = 0; count < controls * 2 + 40 && reached.size < controls; count++) {
    await page.keyboard.press('Tab')
    const { stop, isShown, text } = await page.evaluate<{
      stop: string | null
      isShown: boolean
      text: string
    }>(`(() => {
      const one = document.activeElement
      const { outlineStyle, boxShadow } = getComputedStyle(one)
      const isShown = one === document.body || outlineStyle !== 'none' || boxShadow !== 'none' || one.matches('.skip')
      return { stop: one.getAttribute('data-stop'), isShown, text: one.outerHTML.slice(0, 120) }
    })()`)
    if (stop !== null) reached.add(stop)
    if (!isShown) hidden.push(text)
  }
  const missed = await page.evaluate<string[]>(`[...document.querySelectorAll('[data-stop]')]
    .filter((one) => !${JSON.stringify([...reached])}.includes(one.getAttribute('data-stop'))).map((one) => one.outerHTML.slice(0, 120))`)
  expect(missed).toEqual([])
  expect(hidden).toEqual([])
})

test('a long list of keys starts at its beginning on a phone', async () => {
  const opened = await open(writeTeam, { browser, context: { viewport: { width: 360, height: 500 } } })
  onTestFinished(() => opened.close())
  const page = await opened.visit('/')
  await page.keyboard.press('?')
  await page.locator('dialog[open]').waitFor()
  const isScrolled = `(({ scrollTop, scrollHeight, clientHeight }) => [scrollTop, scrollHeight > clientHeight])(document.querySelector('dialog'))`
  expect(await page.evaluate(isScrolled)).toEqual([0, true])
})
