import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { accessibilityFaults, type Browser, type ContextOptions } from './support/browser.ts'
import { launchBrowser, type Opened, open } from './support/opened-page.ts'
import { writeRecords } from './support/records.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const looks: readonly (readonly [name: string, context: ContextOptions])[] = [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 360, height: 740 } }],
  ['with forced colours', { forcedColors: 'active' }],
]

const views = [
  ['/tasks', '[data-task="build"]'],
  ['/tasks/build', '[data-detail="build"]'],
  ['/tasks?as=list', '[data-name="build"]'],
  ['/workspaces', '[data-loaded="true"]'],
  ['/agents', '.lint'],
  ['/agents/builder', '.agent-facts'],
  ['/agents/builder?tab=what-if&tool=execute_command&input=%7B%22command%22%3A%22rm%20x%22%7D', '.verdict'],
  ['/agents/builder?tab=lint', '.lint'],
  ['/problems', '[data-loaded="true"]'],
  ['/audit', '.select-row'],
  ['/audit?decision=deny&line=0', '.split-detail'],
  ['/search', '.search'],
  ['/search?text=limits', '[data-hit="build"]'],
] as const

describe.each(looks)('%s', (_, context) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open(writeRecords, { browser, context })
  })
  afterAll(() => opened.close())

  test.each(views)('%s has no fault that axe finds, and fits the window', async (path, shown) => {
    const page = await opened.visit(path)
    await page.locator(shown).first().waitFor({ state: 'attached' })
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(opened.complaints).toEqual([])
  })
})

async function opened() {
  const page = await open(writeRecords, { browser })
  onTestFinished(() => page.close())
  return page
}

test('the board shows what blocks a task, and keys move over it', async () => {
  const { visit } = await opened()
  const page = await visit('/tasks')
  await page.locator('[data-task="build"]').waitFor()
  expect(await page.locator('[data-task="build"]').innerText()).toContain('blocked by plan')
  expect(await page.locator('[data-task="release"]').innerText()).toContain('waiting for a person')
  await page.keyboard.press('j')
  await page.locator('[data-detail="plan"]').waitFor()
  expect(await page.locator('[data-detail="plan"]').innerText()).toContain('Build the limits')
  await page.keyboard.press('j')
  await page.locator('[data-detail="build"]').waitFor()
  expect(new URL(page.url()).pathname).toBe('/tasks/build')
  await page.keyboard.press('l')
  await page.locator('[data-detail="release"]').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.session[data-session="lead-1"]').waitFor()
  await page.goBack()
  await page.locator('[data-detail="release"]').waitFor()
})

test('text in task files is text, with hidden characters visible', async () => {
  const { visit, complaints } = await opened()
  const page = await visit('/tasks')
  await page.locator('[data-task="build"]').waitFor()
  const text = await page.locator('.board').innerText()
  expect(text).toContain('\\u202ethe limits <img src=x onerror=alert(1)>')
  expect(await page.locator('.board img').count()).toBe(0)
  expect(complaints).toEqual([])
})

test('without a daemon, tasks cannot be changed, and the page explains what to do', async () => {
  const { visit } = await opened()
  const page = await visit('/tasks/build')
  await page.locator('[data-detail="build"]').waitFor()
  expect(await page.locator('[data-detail="build"]').innerText()).toContain('cadre up')
  expect(await page.locator('[data-task="build"]').getAttribute('draggable')).not.toBe('true')
  expect(await page.getByRole('button', { name: /New task/ }).count()).toBe(0)
})

test('explains a call of an agent, and the question has an address', async () => {
  const { visit } = await opened()
  const page = await visit('/agents/builder?tab=what-if')
  await page.getByRole('textbox', { name: /Arguments/ }).fill('{"path": "x"')
  await page.locator('input[list="what-if-tools"]').fill('read_file')
  await page.getByRole('button', { name: /Explain/ }).click()
  await page.locator('.what-if .fault').waitFor()
  await page.getByRole('textbox', { name: /Arguments/ }).fill('{"path": "../../etc/shadow"}')
  await page.getByRole('button', { name: /Explain/ }).click()
  await page.locator('.verdict').waitFor()
  expect(await page.locator('.verdict').getAttribute('data-decision')).not.toBe('allow')
  expect(await page.locator('.verdict').innerText()).toContain('Decided by')
  expect(page.url()).toContain('tool=read_file')
  await page.reload()
  await page.locator('.verdict').waitFor()
})

test('explains a call for an agent below others', async () => {
  const { visit } = await opened()
  const page = await visit(
    '/agents/builder?tab=what-if&tool=read_file&input=%7B%22path%22%3A%22x%22%7D&depth=lead%3Ebuilder',
  )
  await page.locator('.verdict').waitFor()
  expect(await page.locator('.what-if').innerText()).toContain("--depth 'lead>builder'")
})

test('filters the audit log, reads older lines, and shows a whole line', async () => {
  const { visit } = await opened()
  const page = await visit('/audit')
  await page.locator('.select-row').first().waitFor()
  await page.getByRole('button', { name: 'Load older lines' }).click()
  await page.getByText('152 lines').waitFor()
  await page.locator('select').nth(1).selectOption('deny')
  await page.getByText('1 line', { exact: true }).waitFor()
  await page.keyboard.press('j')
  await page.locator('.split-detail').waitFor()
  expect(await page.locator('.split-detail').innerText()).toContain('git push --force \\u202eorigin')
  await page.keyboard.press('Escape')
  await page.locator('.split-detail').waitFor({ state: 'detached' })
})

test('finds text in sessions, tasks, approvals and memory', async () => {
  const { visit } = await opened()
  const page = await visit('/search')
  await page.locator('.search input:focus').waitFor()
  await page.keyboard.type('limits')
  await page.keyboard.press('Enter')
  await page.locator('[data-hit="build"]').waitFor()
  for (const name of ['Sessions', 'Tasks', 'Memory'])
    expect(await page.locator(`section[aria-label="${name}"]`).count()).toBe(1)
  await page.locator('[data-hit="build"]').click()
  await page.locator('[data-detail="build"]').waitFor()
  await page.goto(page.url().replace(/\/tasks.*/, '/search?text=push'))
  await page.locator('section[aria-label="Approvals"] a').first().click()
  await page.locator('.waiting').waitFor()
})

test('shows several agents on a phone', async () => {
  const phone = await open(writeRecords, { browser, context: { viewport: { width: 360, height: 740 } } })
  onTestFinished(() => phone.close())
  const page = await phone.visit('/agents')
  await page.locator('.select-row').first().waitFor()
  const height = await page.evaluate("document.querySelector('.select-list').getBoundingClientRect().height")
  expect(Number(height)).toBeGreaterThan(5 * 56)
})
