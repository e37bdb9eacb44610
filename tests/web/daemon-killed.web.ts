/** The daemon is killed while a page watches its run. After the next start, the page shows what the files say. */

import { openHome } from '@cadre/home'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { RunningCadre } from '../cli/support/cadre.ts'
import { agentFile, createProject, delegate, type Project, report } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { type BreakingProxy, startBreakingProxy } from './support/breaking-proxy.ts'
import { type Browser, launchBrowser, type Page, untilUsable, waitLimit } from './support/browser.ts'
import { commandTree, untilShown } from './support/shown-tree.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const workers = 4

function createTeam(): Project {
  const read = { calls: [{ tool: 'read_file', input: { path: 'a.txt' } }] }
  return createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'a.txt': 'text\n',
    'p.yaml': {
      lanes: {
        lead: [
          { calls: Array.from({ length: workers }, (_, index) => delegate('worker', `Part ${index}.`)) },
          { reply: 'All done.' },
        ],
        worker: [read, read, report('Done.')],
      },
    },
    '.cadre/sessions/run.session.yaml': 'agent_id: lead\nmessages:\n  - role: user\n    content: Go.\n',
  })
}

/** Starts the daemon, and signs the page in. */
async function start(project: Project, proxy: BreakingProxy, page: Page): Promise<RunningCadre> {
  const up = project.start(['up', '--trust', '--model', 'scripted:p.yaml'])
  await until(async () => (await project.cadre(['status', '--json'])).stdout.includes('"running":true'))
  const { stdout } = await project.cadre(['open', '--json', '--no-browser'])
  const { url, address } = JSON.parse(stdout) as { url: string; address: string }
  proxy.serve(address)
  await page.goto('about:blank')
  await page.goto(`${proxy.address}/${new URL(url).hash}`)
  await untilUsable(page)
  return up
}

/** The daemon dies as soon as this many session files exist: at another event each time. */
test.each([2, workers + 1])('killed when there are %i sessions', async (sessions) => {
  const project = createTeam()
  const proxy = await startBreakingProxy()
  onTestFinished(() => proxy.close())
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(waitLimit)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const daemon = await start(project, proxy, page)
  await until(() => project.sessions().length >= sessions)
  daemon.child.kill('SIGKILL')
  // Until then, commands say that it runs, at its old address.
  await daemon.ended()
  proxy.serve(undefined)
  proxy.cut()
  await page.locator('[data-state="connecting"]').waitFor()
  await start(project, proxy, page)
  await until(() => /^status: completed/m.test(project.read('.cadre/sessions/run.session.yaml')))
  const home = openHome({ home: project.at('.cadre'), cwd: '/', env: {} })
  const wanted = await commandTree(home, 'run')
  expect(wanted).toHaveLength(workers + 1)
  expect(new Set(wanted.map(({ state }) => state))).toEqual(new Set(['completed']))
  expect(await untilShown(page, wanted)).toEqual(wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
})
