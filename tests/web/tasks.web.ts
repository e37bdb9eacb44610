import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Browser } from './support/browser.ts'
import { type LiveServer, liveServer } from './support/live-server.ts'
import { launchBrowser } from './support/opened-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const tasks = `# Notes stay as they are:   \t
- [ ] A @ann Read the plan
  id: plan
- [ ] B @ann Read the code
  id: code
  depends_on: plan
`

async function started(): Promise<LiveServer> {
  return liveServer(browser, {
    prepare: (home) => {
      home.folder('tasks')
      writeFileSync(home.at('tasks', 'todo.task.md'), tasks)
    },
  })
}

const textOf = (server: LiveServer) => readFileSync(server.home.at('tasks', 'todo.task.md'), 'utf8')

test('a task changes its state by drag and by keys, and the rest of its file does not change', async () => {
  const server = await started()
  const page = await server.visit('/tasks')
  await page.locator('[data-task="plan"]').waitFor()
  await page.locator('[data-task="plan"]').dragTo(page.locator('section[aria-label="Done"]'))
  await page.locator('section[aria-label="Done"] [data-task="plan"]').waitFor()
  expect(textOf(server)).toMatch(
    /^# Notes stay as they are: {3}\t\n- \[x\] A @ann Read the plan\n {2}id: plan\n/,
  )
  // The other task is not blocked any more.
  await page.locator('[data-task="code"]').click()
  await page.locator('[data-detail="code"]').waitFor()
  expect(await page.locator('[data-task="code"]').innerText()).not.toContain('blocked')
  await page.keyboard.press('+')
  await page.locator('[data-task="code"] .task-priority').filter({ hasText: 'A' }).waitFor()
  await page.keyboard.press('>')
  await page.locator('section[aria-label="Running"] [data-task="code"]').waitFor()
  expect(textOf(server)).toContain('- [~] A @ann Read the code\n')
  expect(server.complaints).toEqual([])
})

test('a card that is dropped on another one gets its priority, and nothing else changes', async () => {
  const server = await started()
  const page = await server.visit('/tasks')
  await page.locator('[data-task="plan"]').waitFor()
  await page.locator('[data-task="code"]').dragTo(page.locator('[data-task="plan"]'))
  await page.locator('[data-task="code"] .task-priority').filter({ hasText: 'A' }).waitFor()
  expect(textOf(server)).toBe(tasks.replace('- [ ] B @ann', '- [ ] A @ann'))
  expect(server.complaints).toEqual([])
})

test('does not overwrite a file that someone has edited, and the page reports it', async () => {
  const server = await started()
  const page = await server.visit('/tasks/plan')
  await page.locator('[data-detail="plan"]').waitFor()
  // As if the edit came just before the request: the page has not heard of it.
  await page.route('**/api/tasks/plan', (route) =>
    route.continue({ headers: { ...route.request().headers(), 'if-match': '"older"' } }),
  )
  const before = textOf(server)
  await page.locator('[data-detail="plan"] select').first().selectOption('done')
  await page.locator('.toast-error').waitFor()
  expect(await page.locator('.toast-error').innerText()).toContain('changed in the meantime')
  expect(textOf(server)).toBe(before)
  expect(await page.locator('section[aria-label="Open"] [data-task="plan"]').count()).toBe(1)
})

test('a new task is written to its file, selected, and deleted again', async () => {
  const server = await started()
  const page = await server.visit('/tasks')
  await page.locator('[data-task="plan"]').waitFor()
  await page.keyboard.press('n')
  await page.locator('dialog').waitFor()
  expect(
    await page.evaluate<number>(
      "document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth",
    ),
  ).toBe(0)
  await page.locator('dialog input:focus').waitFor()
  await page.keyboard.type(`It's new`)
  await page.keyboard.press('Enter')
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.locator('[data-task]').filter({ hasText: "It's new" }).waitFor()
  expect(textOf(server)).toContain("It's new")
  expect(textOf(server).startsWith(tasks)).toBe(true)
  await page.locator('[data-detail]').waitFor()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete the task' }).click()
  await page.locator('[data-task]').filter({ hasText: "It's new" }).waitFor({ state: 'detached' })
  expect(textOf(server)).not.toContain("It's new")
})
