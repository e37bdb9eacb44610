import { writeFileSync } from 'node:fs'
import { defineTool, object, type Rule, type Tool } from '@cadre/core'
import { call, say } from '@cadre/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  holdTool,
  sessionText,
  template,
  until,
} from '../../packages/server/src/daemon/daemon.spec-helpers.ts'
import { type Browser, launchBrowser, type Page } from './support/browser.ts'
import { type LiveServer, liveServer } from './support/live-server.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys',
  class: 'execute',
  effect: 'execute',
  input: object({}),
  run: async () => ({ content: 'deployed' }),
}) as unknown as Tool
const ask: Rule = {
  by: 'policy',
  name: 'ask',
  judge: ({ tool }: { tool: Tool }) =>
    tool.name === 'deploy'
      ? { kind: 'ask', by: 'policy', rule: 'ask-first', reason: 'it deploys' }
      : { kind: 'allow', by: 'policy', rule: 'rest' },
} as unknown as Rule

async function start(server: LiveServer, work: string): Promise<string> {
  const { id } = await server.client.startSession({ body: { work, agent: 'worker' } })
  return id
}

async function ended(server: LiveServer, id: string): Promise<void> {
  await until(() => /^status: completed/m.test(sessionText(server.home, id)))
}

async function pressUntil(page: Page, key: string, selector: string): Promise<void> {
  while ((await page.locator(selector).count()) === 0) {
    await page.keyboard.press(key)
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
}

test('a session is approved where a person watches it, and its end appears by itself', async () => {
  const server = await liveServer(browser, {
    tools: [deploy],
    rules: [ask],
    lanes: { worker: [call(['deploy', {}]), say('It is out.')] },
  })
  const page = await server.visit()
  const id = await start(server, 'Deploy it.')
  await page.locator(`.run[data-session="${id}"] .count-waiting`).waitFor()
  await page.goto(`${server.address}/sessions/${id}`)
  await page.locator('.approval').waitFor()
  await pressUntil(page, 'a', '.call-done')
  await page.getByText('It is out.', { exact: true }).waitFor()
  expect(await page.locator('.call summary').innerText()).toContain('approved by ben')
  expect(await page.locator('.call summary').innerText()).not.toContain('waiting')
  await page.locator('.session-head .state-completed').waitFor()
  expect(server.complaints).toEqual([])
})

test('a person sends a message, and the session answers', async () => {
  const server = await liveServer(browser, { lanes: { worker: [say('First.'), say('Second.')] } })
  const id = await start(server, 'Begin.')
  await ended(server, id)
  const page = await server.visit(`/sessions/${id}`)
  await page.getByText('First.', { exact: true }).waitFor()
  await page.locator('#say').fill('And now?')
  await page.keyboard.press('Escape')
  expect(await page.locator('#say').inputValue()).toBe('And now?')
  await page.locator('#say').focus()
  await page.keyboard.press('Control+Enter')
  await page.getByText('Second.', { exact: true }).waitFor()
  expect(await page.locator('.entry-message').filter({ hasText: 'And now?' }).count()).toBe(1)
})

test('a running session is cancelled after a question', async () => {
  const hold = holdTool()
  const server = await liveServer(browser, {
    tools: [hold.tool],
    lanes: { worker: [call(['hold', {}]), say('never')] },
  })
  const id = await start(server, 'Wait.')
  await until(() => hold.waiting() === 1)
  const page = await server.visit(`/sessions/${id}`)
  await page.getByRole('button', { name: /^Cancel…/ }).click()
  expect(await page.locator('dialog p').first().innerText()).toBe(
    'Cadre stops this session. To continue it later, resume it or send it a message.',
  )
  await page.getByRole('button', { name: 'Cancel the session' }).click()
  await page.locator('.session-head .state-cancelled').waitFor()
  expect(await page.getByRole('button', { name: /^Cancel…/ }).count()).toBe(0)
})

test('a cancelled session is resumed', async () => {
  const hold = holdTool()
  const server = await liveServer(browser, {
    tools: [hold.tool],
    lanes: { worker: [call(['hold', {}]), say('Finished.')] },
  })
  const id = await start(server, 'Wait.')
  await until(() => hold.waiting() === 1)
  const page = await server.visit(`/sessions/${id}`)
  await page.getByRole('button', { name: /^Cancel…/ }).waitFor()
  const resume = page.getByRole('button', { name: 'Resume', exact: true })
  expect(await resume.count()).toBe(0)
  await server.client.cancelSession({ params: { id }, body: {} })
  await page.locator('.session-head .state-cancelled').waitFor()
  await resume.focus()
  await page.keyboard.press('Enter')
  await page.locator('.toast').filter({ hasText: 'Session resumed.' }).waitFor()
  await page.getByText('Finished.', { exact: true }).waitFor()
  await page.locator('.session-head .state-completed').waitFor()
  expect(await resume.count()).toBe(0)
  expect(await page.evaluate('document.activeElement.id')).toBe('main')
  expect(server.complaints).toEqual([])
})

test('the reason is shown if a stopped session cannot be resumed', async () => {
  const server = await liveServer(browser, {
    lanes: { worker: [say('never')] },
    prepare: (home) =>
      writeFileSync(
        `${home.folder('sessions')}/foreign.session.yaml`,
        'agent_id: worker\nmodel: scripted\nmetadata: {workspace: /etc}\nmessages:\n  - role: user\n    content: Go.\n',
      ),
  })
  const page = await server.visit('/sessions/foreign')
  const resume = page.getByRole('button', { name: 'Resume', exact: true })
  await resume.click()
  const reason = "The session's workspace /etc is neither in"
  await page.locator('.toast[role="alert"]').filter({ hasText: reason }).waitFor()
  expect(await resume.isDisabled()).toBe(false)
})

test('a session is rewound after a preview, and later entries are removed', async () => {
  const server = await liveServer(browser, { lanes: { worker: [say('First.'), say('Second.')] } })
  const id = await start(server, 'Begin.')
  await ended(server, id)
  await server.client.sendMessage({ params: { id }, body: { text: 'Go on.' } })
  await until(() => sessionText(server.home, id).includes('Second.'))
  await until(async () => (await server.client.getSession({ params: { id } })).row.state === 'ended')
  const page = await server.visit(`/sessions/${id}`)
  const message = page.locator('.entry-message').filter({ hasText: 'Go on.' })
  await message.getByRole('button', { name: /^Rewind/ }).click()
  await page.locator('.preview').waitFor()
  expect(await page.locator('.preview').innerText()).toContain('will be removed')
  expect(await page.locator('dialog .command').innerText()).toMatch(/cadre sessions rewind \S+ \d+$/)
  await page.getByRole('button', { name: 'Rewind', exact: true }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.getByText('Second.', { exact: true }).waitFor({ state: 'detached' })
  expect(await page.getByText('First.', { exact: true }).count()).toBe(1)
  expect(sessionText(server.home, id)).not.toContain('Go on.')
})

test('a fork continues elsewhere from the conversation before an entry', async () => {
  const server = await liveServer(browser, { lanes: { worker: [say('First.'), say('Second.')] } })
  const id = await start(server, 'Begin.')
  await ended(server, id)
  await server.client.sendMessage({ params: { id }, body: { text: 'Go on.' } })
  await until(() => sessionText(server.home, id).includes('Second.'))
  const page = await server.visit(`/sessions/${id}`)
  const message = page.locator('.entry-message').filter({ hasText: 'Go on.' })
  await message.getByRole('button', { name: /^Fork/ }).click()
  await page.locator('#fork-work').fill('Try it differently.')
  expect(await page.locator('dialog .command').innerText()).toMatch(
    /cadre sessions fork \S+ \d+ 'Try it differently.'$/,
  )
  await page.getByRole('button', { name: 'Fork', exact: true }).click()
  await page.locator('.entry-message').filter({ hasText: 'Try it differently.' }).waitFor()
  await page.locator('.session-head .state-completed').waitFor()
  expect(page.url()).not.toContain(id)
  expect(await page.locator('.entry-earlier').allInnerTexts()).toMatchObject([
    expect.stringContaining('Begin.'),
    expect.stringContaining('First.'),
  ])
  expect(await page.locator('.conversation').innerText()).not.toContain('Second.')
})

test('a session is handed off to the agent that it suggests, with the conversation', async () => {
  const handoffs = 'handoffs:\n  - label: Build it\n    agent: worker\n    prompt: Build the plan.\n'
  const server = await liveServer(browser, {
    prepare: (home) => template(home, 'planner', handoffs),
    lanes: { planner: [say('The plan.')], worker: [say('Built.')] },
  })
  const { id } = await server.client.startSession({ body: { work: 'Plan it.', agent: 'planner' } })
  await ended(server, id)
  const page = await server.visit(`/sessions/${id}`)
  await page.getByRole('button', { name: 'Hand off to worker: Build it' }).click()
  await page.getByText('Built.', { exact: true }).waitFor()
  expect(page.url()).not.toContain(id)
  expect(await page.locator('.entry-earlier').filter({ hasText: 'The plan.' }).count()).toBe(1)
})

test('the fifth page of a login pauses the first one, which continues when it is used', async () => {
  const server = await liveServer(browser, { lanes: { worker: [say('First.')] } })
  const first = await server.visit()
  for (let count = 0; count < 4; count++) await server.visit()
  await first.locator('[data-state="parked"]').waitFor()
  const id = await start(server, 'Begin.')
  await ended(server, id)
  expect(await first.locator(`.run[data-session="${id}"]`).count()).toBe(0)
  await first.keyboard.press('Shift')
  await first.locator('[data-state="live"]').waitFor()
  await first.locator(`.run[data-session="${id}"] .state-completed`).waitFor()
})

test('a run is started from the page', async () => {
  const server = await liveServer(browser, { lanes: { worker: [say('Done it.')] } })
  const page = await server.visit()
  await page.locator('.runs').waitFor()
  await page.keyboard.press('Control+k')
  await page.locator('dialog input:focus').waitFor()
  await page.keyboard.type('start a run')
  await page.keyboard.press('Enter')
  await page.locator('#start-work').fill('Do it.')
  await page.locator('#start-agent option').nth(1).waitFor({ state: 'attached' })
  await page.locator('#start-agent').selectOption('worker')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByText('Done it.', { exact: true }).waitFor()
  expect(page.url()).toMatch(/\/sessions\/run-[0-9a-f]{12}$/)
  await page.keyboard.press('k')
  await page.locator('.entry:focus').waitFor()
})

test('text appears while the model writes it, and the recorded reply takes its place', async () => {
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let write: (text: string) => void = () => {}
  const server = await liveServer(browser, {
    lanes: {
      worker: [
        async (_, text) => {
          write = text
          await finished
          return say('The whole reply.')
        },
      ],
    },
  })
  const id = await start(server, 'Write.')
  const page = await server.visit(`/sessions/${id}`)
  await page.locator('.entry-message').waitFor()
  // Text is not kept for readers that come later, so it is written until it is seen.
  while ((await page.locator('.entry-live').count()) === 0) {
    write('word ')
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
  expect(await page.locator('.entry-live').innerText()).toContain('word')
  finish()
  await page.getByText('The whole reply.', { exact: true }).waitFor()
  await page.locator('.entry-live').waitFor({ state: 'detached' })
})
