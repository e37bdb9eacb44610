import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Browser, type Page, untilTrue } from './support/browser.ts'
import { launchBrowser, type OpenOptions, open } from './support/opened-page.ts'
import { writeTeam } from './support/team.ts'
import { asks, reply, say, started } from './support/written-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

async function inbox(options: Partial<OpenOptions> = {}): Promise<Page> {
  const page = await open(writeTeam, { browser, ...options })
  onTestFinished(() => page.close())
  const shown = await page.visit('/waiting')
  await shown.locator('.waiting-item').nth(1).waitFor()
  return shown
}

/** Selects the approval of this session. */
async function select(page: Page, session: string): Promise<void> {
  await page.locator('.waiting-item').filter({ hasText: session }).click()
  await page.locator(`.waiting-detail .approval`).filter({ hasText: session }).waitFor()
}

const status = (page: Page) => page.locator('.waiting-detail .approval').getAttribute('data-status')

/** Presses a key until the page has noticed it: nothing is decided within half a second after an item appears. */
async function pressUntil(page: Page, key: string, selector: string): Promise<void> {
  while ((await page.locator(selector).count()) === 0) {
    await page.keyboard.press(key)
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
}

test('shows the whole action with hidden characters, the risk with its reasons, and the chain of agents', async () => {
  const page = await inbox()
  await select(page, 'builder-1')
  const card = page.locator('.waiting-detail .approval')
  expect(await card.locator('.exact').first().innerText()).toBe('git push --force \\u202eorigin')
  expect(await card.innerText()).toContain('HIGH')
  expect(await card.innerText()).toContain('Runs a program.')
  expect(await card.locator('.chain').innerText()).toMatch(/lead.*planner.*builder/s)
  expect(await card.innerText()).toContain('cadre approve ')
})

test('approves LOW risk with one key, and shows who decided', async () => {
  const page = await inbox()
  await select(page, 'builder-2')
  await pressUntil(page, 'a', '.waiting-detail [data-status="approved"]')
  expect(await page.locator('.decided').innerText()).toContain('approved by ann')
})

test('needs a second, different key for HIGH risk', async () => {
  const page = await inbox()
  await select(page, 'builder-1')
  await pressUntil(page, 'a', '.confirm')
  for (let times = 0; times < 5; times++) await page.keyboard.press('a')
  expect(await status(page)).toBe('pending')
  await pressUntil(page, 'y', '.waiting-detail [data-status="approved"]')
})

test('can cancel the second step', async () => {
  const page = await inbox()
  await select(page, 'builder-1')
  await pressUntil(page, 'a', '.confirm')
  await page.keyboard.press('Escape')
  await page.locator('.confirm').waitFor({ state: 'detached' })
  for (let times = 0; times < 5; times++) await page.keyboard.press('y')
  expect(await status(page)).toBe('pending')
})

test('rejects with a reason', async () => {
  const page = await inbox()
  await select(page, 'builder-1')
  await pressUntil(page, 'r', '.waiting-detail textarea')
  await page.locator('.waiting-detail textarea:focus').waitFor()
  await page.keyboard.type('Use a branch.')
  await page.keyboard.press('Enter')
  await page.locator('.waiting-detail [data-status="rejected"]').waitFor()
  expect(await page.locator('.decided').innerText()).toContain('Use a branch.')
})

test('ignores keys at the moment an item appears', async () => {
  const page = await inbox()
  await page.evaluate(`document.addEventListener('keydown', () => performance.mark('key'))`)
  await page.evaluate(`{
    const now = performance.now.bind(performance)
    const at = now()
    performance.now = () => at
  }`)
  await select(page, 'builder-2')
  for (let times = 0; times < 5; times++) await page.keyboard.press('a')
  expect(await page.evaluate(`performance.getEntriesByName('key').length`)).toBe(5)
  expect(await status(page)).toBe('pending')
})

test('moves by keys, and from one pending approval to the next from anywhere', async () => {
  const page = await inbox()
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  await page.locator('.runs').waitFor()
  await page.keyboard.press(']')
  await page.locator('.waiting-item[aria-current="true"]').waitFor()
  const first = page.url()
  await page.keyboard.press(']')
  await untilTrue(page, `location.href !== ${JSON.stringify(first)}`)
  await page.keyboard.press('[')
  await untilTrue(page, `location.href === ${JSON.stringify(first)}`)
})

test('the key for the next approval leaves the one that Waiting shows first', async () => {
  const page = await inbox()
  await page.locator('.waiting-item[aria-current="true"]').waitFor()
  const current = `[...document.querySelectorAll('.waiting-item')].findIndex((item) => item.ariaCurrent === 'true')`
  expect(await page.evaluate<number>(current)).toBe(0)
  await page.keyboard.press(']')
  await untilTrue(page, `${current} === 1`)
})

test('a viewer sees everything but cannot decide', async () => {
  const page = await inbox({ roles: ['viewer'] })
  await select(page, 'builder-2')
  expect(await page.locator('.waiting-detail button').filter({ hasText: 'Approve' }).count()).toBe(0)
  for (let times = 0; times < 5; times++) await page.keyboard.press('a')
  expect(await status(page)).toBe('pending')
  expect(await page.locator('.waiting-detail').innerText()).toContain('role approver')
})

test('a read-only page cannot decide anything', async () => {
  const page = await inbox({ readOnly: true })
  await select(page, 'builder-2')
  expect(await page.locator('.banner').first().innerText()).toContain('Read-only')
  expect(await page.locator('.waiting-detail').innerText()).toContain('This page is read-only')
  expect(await page.locator('.waiting-detail').innerText()).not.toContain('role approver')
  expect(await page.locator('.waiting-detail button').filter({ hasText: 'Approve' }).count()).toBe(0)
})

test('another tab shows the decision by itself', async () => {
  const opened = await open(writeTeam, { browser })
  onTestFinished(() => opened.close())
  const [one, two] = [await opened.visit('/waiting'), await opened.visit('/waiting')]
  for (const page of [one, two]) {
    await page.locator('.waiting-item').nth(1).waitFor()
    await select(page, 'builder-2')
  }
  await pressUntil(one, 'a', '.waiting-detail [data-status="approved"]')
  await two.locator('.waiting-detail [data-status="approved"]').waitFor()
})

test('counts one vote where two people must approve, and keeps the call waiting', async () => {
  const opened = await open(
    (home) => {
      writeTeam(home)
      const approvals = { quorum: 2, roles: ['approver'], notByStarter: false }
      home.session('builder-3', [say('Release it.'), ...asks('c1', 'npm publish', 'LOW', { approvals })])
    },
    { browser },
  )
  onTestFinished(() => opened.close())
  const page = await opened.visit('/waiting')
  await select(page, 'builder-3')
  expect(await page.locator('.waiting-detail .votes').innerText()).toContain('0 of 2')
  await pressUntil(page, 'a', '.waiting-detail .votes li')
  await page.locator('.waiting-detail .votes').filter({ hasText: '1 of 2' }).waitFor()
  expect(await status(page)).toBe('pending')
  await page.locator('.waiting-item').filter({ hasText: '1 of 2 approvals' }).waitFor()
})

test('names the command that continues a run, because no daemon does', async () => {
  const page = await inbox()
  await select(page, 'builder-2')
  await pressUntil(page, 'a', '.waiting-detail [data-status="approved"]')
  const resume = 'cadre resume builder-2'
  await page
    .locator('.toast')
    .filter({ hasText: `Recorded. To continue the run, use: ${resume}` })
    .first()
    .waitFor()
  await page.goto(new URL('/sessions/builder-2', page.url()).href)
  await page.locator('.session-head .command').filter({ hasText: resume }).waitFor()
})

test('approves similar calls for the rest of the session, by one key', async () => {
  const page = await inbox()
  await select(page, 'builder-2')
  await pressUntil(page, 'A', '.waiting-detail [data-status="approved"]')
})

test('approves by a rule, which it shows before and writes to the home', async () => {
  const grant = 'command: npm run lint · /usr/bin/npm · in .'
  const opened = await open(
    (home) => {
      writeTeam(home)
      home.session('builder-3', [say('Lint it.'), ...asks('c1', 'npm run lint', 'LOW', { grants: [grant] })])
    },
    { browser },
  )
  onTestFinished(() => opened.close())
  const page = await opened.visit('/waiting')
  await select(page, 'builder-3')
  expect(await page.locator('.waiting-detail .actions').innerText()).toContain(grant)
  const approved = page.locator('.waiting-detail [data-status="approved"]')
  while ((await approved.count()) === 0) {
    await page.evaluate(
      `[...document.querySelectorAll('.waiting-detail button')].find(({ innerText }) => innerText.startsWith('Approve, and'))?.click()`,
    )
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
  const rules = opened.home.home.at('storage', 'terminal-cmd-allowlist.yaml')
  expect(readFileSync(rules, 'utf8')).toContain('npm run lint')
})

test('asks what became of an interrupted call, and records the answer', async () => {
  const opened = await open(
    (home) => {
      writeTeam(home)
      home.session('builder-3', [
        say('Publish it.'),
        reply('I publish.', ['c1', 'run_command', { command: 'npm publish' }]),
        started('c1'),
        {
          role: 'event',
          type: 'person.asked',
          call: 'c1',
          name: 'doubt/c1',
          kind: 'doubt',
          text: 'run_command was interrupted',
          choices: ['done', 'again', 'leave'],
          detail: { agent: 'builder', action: 'npm publish', tool: 'run_command', risk: 'LOW', reasons: [] },
        },
      ])
    },
    { browser },
  )
  onTestFinished(() => opened.close())
  const page = await opened.visit('/waiting')
  await select(page, 'builder-3')
  const card = page.locator('.waiting-detail .approval')
  expect(await card.innerText()).toContain('was interrupted during a call')
  expect(await card.innerText()).toContain('cadre sessions answer builder-3 doubt/c1 done')
  for (let times = 0; times < 5; times++) await page.keyboard.press('a')
  expect(await status(page)).toBe('pending')
  const file = opened.home.home.at('sessions', 'builder-3.session.yaml')
  while (!readFileSync(file, 'utf8').includes('person.answered')) {
    await page.evaluate(
      `[...document.querySelectorAll('.waiting-detail button')].find(({ innerText }) => innerText.startsWith('It took effect'))?.click()`,
    )
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
  expect(readFileSync(file, 'utf8')).toMatch(/decision: done/)
})

test('names the home in commands that would find another one', async () => {
  const opened = await open(writeTeam, { browser, env: { CADRE_HOME: '/nowhere/.cadre' } })
  onTestFinished(() => opened.close())
  const page = await opened.visit('/waiting')
  await page.locator('.waiting-detail .approval').waitFor()
  const commands = await page.locator('.command code').allInnerTexts()
  expect(commands.length).toBeGreaterThan(2)
  for (const command of commands) expect(command).toContain(` --home ${opened.home.home.path}`)
})

test('says what would appear if nothing is pending', async () => {
  const opened = await open((home) => home.session('lead-1', [say('Say hello.')]), { browser })
  onTestFinished(() => opened.close())
  const page = await opened.visit('/waiting')
  await page.locator('.waiting-list .empty').waitFor()
  const text = await page.locator('.waiting-list .empty').innerText()
  expect(text).toContain('No pending approvals.')
  expect(text).toContain('appears here')
})
