import { openPeople } from '@cadre/home'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Browser, untilTrue } from './support/browser.ts'
import { launchBrowser, type OpenOptions, open } from './support/opened-page.ts'
import { writeTeam } from './support/team.ts'
import { say, type WrittenHome } from './support/written-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

async function opened(write: (home: WrittenHome) => void = writeTeam, options: Partial<OpenOptions> = {}) {
  const page = await open(write, { browser, ...options })
  onTestFinished(() => page.close())
  return page
}

test('the tree opens to any depth by keyboard, and marks every session above one that waits', async () => {
  const { visit } = await opened()
  const page = await visit('/?filter=state:waiting')
  await page.goto(page.url().replace(/\?.*/, ''))
  await page.locator('[data-session="lead-1"]').waitFor()
  await page.locator('[role="treegrid"]').focus()
  const selected = `document.querySelector('[aria-selected="true"]')?.dataset.session`
  for (;;) {
    const before = JSON.stringify(await page.evaluate(selected))
    if (before === '"lead-1"') break
    await page.keyboard.press('j')
    await untilTrue(page, `${selected} !== ${before}`)
  }
  if ((await page.locator('[data-session="lead-1"]').getAttribute('aria-expanded')) === 'false')
    await page.keyboard.press('l')
  await page.locator('[data-session="builder-1"]').waitFor()
  for (const [session, level] of [
    ['lead-1', '1'],
    ['planner-1', '2'],
    ['builder-1', '3'],
  ] as const) {
    const row = page.locator(`[data-session="${session}"]`)
    expect(await row.getAttribute('aria-level')).toBe(level)
    expect(await row.locator('.count-waiting').innerText()).toContain('1')
    await row.click()
    await page.locator('.peek .approval').filter({ hasText: 'builder-1' }).waitFor()
  }
  await page.locator('[data-session="lead-1"]').click()
  await page.keyboard.press('h')
  await page.locator('[data-session="builder-1"]').waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await page.locator('.session[data-session="lead-1"]').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.runs').waitFor()
})

test('a session that starts appears by itself, and its changes too', async () => {
  const { visit, home } = await opened()
  const page = await visit()
  await page.locator('[data-session="lead-2"]').waitFor()
  home.session('lead-9', [say('Something new.')], { work: { content: 'Something new.' } })
  await page.locator('[data-session="lead-9"]').waitFor()
  expect(await page.locator('[data-session="lead-9"]').innerText()).toContain('Something new.')
})

test('a filter keeps matches and the rows above them, and is part of the address', async () => {
  const { visit } = await opened()
  const page = await visit()
  await page.locator('[data-session="lead-2"]').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('hello')
  await page.locator('[data-session="lead-1"]').waitFor({ state: 'detached' })
  expect(await page.locator('[role="row"][data-session]').count()).toBe(1)
  expect(page.url()).toContain('filter=hello')
  await page.keyboard.press('Escape')
  await page.locator('[data-session="lead-1"]').waitFor()
})

test('a link with a filter finds sessions of closed trees, even if the list of runs arrives late', async () => {
  // More trees than the page opens by itself.
  const { visit, server } = await opened((home) => {
    for (let run = 1; run <= 6; run++) {
      home.session(`lead-${run}`, [say('Lead.')], { work: { content: 'Lead.' } })
      home.session(`worker-${run}`, [say('Work.')], {
        root: `lead-${run}`,
        parent: { session: `lead-${run}`, call: 'c1' },
        depth: 1,
        work: { content: 'Work.' },
      })
    }
  })
  const page = await visit()
  await page.locator('[data-session="lead-6"]').waitFor()
  expect(await page.locator('[data-session="worker-6"]').count()).toBe(0)
  await page.route('**/api/sessions?*', async (route) => {
    await page.getByRole('searchbox', { name: 'Filter sessions' }).waitFor()
    await route.continue({ headers: route.request().headers() })
  })
  await page.goto(new URL('/?filter=worker-6', server.address).href)
  await page.locator('[data-session="worker-6"]').waitFor()
  expect(await page.locator('[role="row"][data-session]').count()).toBe(2)
})

test('letters that are typed into a field have no other effect', async () => {
  const { visit } = await opened()
  const page = await visit('/waiting')
  await page.locator('[data-status="pending"]').waitFor()
  await page.goto(page.url().replace('/waiting', '/'))
  await page.locator('[role="treegrid"]').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('gwarjk?')
  expect(await page.locator('.runs').isVisible()).toBe(true)
  expect(await page.locator('dialog').count()).toBe(0)
})

test('draws only visible rows of a long list, and reaches the last one by a key', async () => {
  const { visit } = await opened((home) => {
    for (let index = 0; index < 400; index++)
      home.session(`lead-${String(index).padStart(4, '0')}`, [say(`Work ${index}`)], {
        work: { content: `Work ${index}` },
      })
  })
  const page = await visit()
  await page.locator('[role="row"][data-session]').first().waitFor()
  expect(await page.locator('[role="row"][data-session]').count()).toBeLessThan(80)
  await page.keyboard.press('End')
  await untilTrue(
    page,
    'document.querySelector("[role=row][aria-selected=true]")?.dataset.session !== undefined',
  )
  const size = Number(await page.locator('[role="row"][data-session]').first().getAttribute('aria-setsize'))
  expect(size).toBeGreaterThanOrEqual(200)
})

test('every view has an address, and the back button works', async () => {
  const { visit } = await opened()
  const page = await visit()
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.locator('.waiting').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.locator('.timeline-list').waitFor()
  await page.goBack()
  await page.locator('.waiting').waitFor()
  expect(new URL(page.url()).pathname).toBe('/waiting')
  await page.reload()
  await page.locator('.waiting').waitFor()
})

test('a link works once, and the page explains how to sign in again', async () => {
  const { visit, server } = await opened()
  await visit()
  const other = await browser.newContext({})
  onTestFinished(() => other.close())
  const page = await other.newPage()
  await page.goto(server.url)
  await page.locator('[data-state="signed-out"]').waitFor()
  expect(await page.locator('main').innerText()).toContain('cadre open')
  expect(page.url()).not.toContain('key=')
})

test('signs a person in with a token, which the page does not store', async () => {
  const { server, home } = await opened()
  const { token = '' } = await openPeople(home.home).add({ name: 'bob', roles: ['viewer'] })
  const other = await browser.newContext({})
  onTestFinished(() => other.close())
  const page = await other.newPage()
  await page.goto(`${server.address}/waiting`)
  const field = page.locator('#token')
  await field.fill(`${token}x`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This token is not valid.').waitFor()
  await field.fill(` ${token}\n`)
  await page.keyboard.press('Enter')
  await page.locator('.waiting').waitFor()
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(
    token,
  )
  await openPeople(home.home).remove('bob')
  await page.reload()
  await page.locator('#token').waitFor()
})

test('shows that no daemon is running, and does not offer actions that need one', async () => {
  const { visit } = await opened()
  const page = await visit('/sessions/lead-2')
  await page.locator('.entry-reply').waitFor()
  expect(await page.locator('.banner').first().innerText()).toContain('No daemon is running')
  expect(await page.getByRole('button', { name: /^Rewind/ }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0)
})

test('names the columns of the tree, and the end of a long model and id', async () => {
  const { visit } = await opened((home) => {
    for (const id of ['lead-1a2b3c4d', 'lead-9f8e7d6c'])
      home.session(id, [say('Work.')], { model: 'scripted:/home/ann/project/playbook.yaml' })
  })
  const page = await visit()
  const row = page.locator('[data-session="lead-1a2b3c4d"]')
  await row.waitFor()
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Session', 'Now', 'Tokens', 'Cost'])
  expect(await row.locator('.run-model').textContent()).toBe('scripted:…/playbook.yaml')
  expect(await row.innerText()).toContain('lead-1a2b3c4d')
  expect(await page.locator('.toolbar').innerText()).toContain('2 sessions')
})

test.each([
  ['/nonsense', 'There is no page at /nonsense.'],
  ['/timeline/nope', 'There is no session "nope".'],
  ['/sessions/nope', 'There is no session "nope".'],
])('reports that there is no page at %s', async (path, text) => {
  const { visit } = await opened()
  const page = await visit(path)
  const alert = page.locator('main [role="alert"]')
  await alert.waitFor()
  expect(await alert.innerText()).toContain(text)
  if (path !== '/nonsense') return
  await alert.getByRole('link', { name: 'Go to Runs' }).click()
  await page.locator('.runs').waitFor()
})

test('shows the name of the current view in a narrow window', async () => {
  const { visit } = await opened(undefined, { context: { viewport: { width: 360, height: 740 } } })
  const page = await visit('/search')
  await page.locator('nav [aria-current="page"]').waitFor()
  await untilTrue(
    page,
    `(() => {
      const [nav, link] = ['.bar nav', '.bar nav [aria-current]'].map((name) => document.querySelector(name).getBoundingClientRect())
      return link.left >= nav.left - 1 && link.right <= nav.right + 1
    })()`,
  )
})

test('offers no decision to a viewer without a daemon', async () => {
  const { visit } = await opened(undefined, { roles: ['viewer'] })
  const page = await visit()
  const banner = page.locator('.banner').first()
  await banner.waitFor()
  expect(await banner.innerText()).toContain('No daemon is running')
  expect(await banner.innerText()).not.toContain('decide')
})

test('warns people who can decide if commands run without a sandbox', async () => {
  const { visit } = await opened(undefined, { env: { PATH: '/nowhere' } })
  const page = await visit()
  await page.locator('.banner-warning').waitFor()
  expect(await page.locator('.banner-warning').innerText()).toContain('without a sandbox')
})

test('moves nothing if the person prefers reduced motion', async () => {
  const { visit } = await opened()
  const page = await visit('/waiting')
  await page.locator('.waiting-detail .approval').waitFor()
  const moving = await page.evaluate(`[...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationName } = getComputedStyle(element)
    return animationName !== 'none' || transitionDuration.split(', ').some((time) => parseFloat(time) > 0)
  }).length`)
  expect(moving).toBe(0)
})
