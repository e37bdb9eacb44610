/** Long names, text from right to left, and hidden characters: nothing overlaps, nothing is cut off, nothing is hidden. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { accessibilityFaults, type Browser, type ContextOptions } from './support/browser.ts'
import { launchBrowser, type Opened, open } from './support/opened-page.ts'
import { asks, ended, reply, result, say, started, type WrittenHome } from './support/written-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const name = 'senior-principal-distributed-systems-release-engineer-of-the-north-west-region'
const word = 'Pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(6)
const rightToLeft = 'שלום עולם, 3 קבצים.'
const hidden = 'delete \u202etxt.exe\u202c now'
const agent = (agentName: string) => ({
  agent: { name: agentName, description: 'Works.', prompt: 'You work.', tools: { kind: 'all' as const } },
  chain: [agentName],
})

function write(home: WrittenHome): void {
  home.session(
    `${name}-1`,
    [
      say(word),
      reply(`${word}\n\n| a |\n|---|\n| ${word} |`, ['c1', 'read_file', { path: `/a/${word}/x` }]),
      started('c1'),
      result('c1', word),
      ...asks('c2', `echo ${word}`, 'HIGH'),
    ],
    { ...agent(name), work: { content: word } },
  )
  home.session('reader-1', [say(rightToLeft), reply(rightToLeft), ended('reader-1', rightToLeft)], {
    work: { content: rightToLeft },
  })
  home.session('hidden-1', [say(hidden), ...asks('c1', hidden)], {
    ...agent('hid\u202eden'),
    work: { content: hidden },
  })
  home.file(
    'tasks/long.task.md',
    `## TODO\n\n- [ ] A @${name} #${'tag'.repeat(30)} "${word}"\n  id: long\n${Array.from({ length: 9 }, (_, index) => `- [ ] A "Another task"\n  id: other-${index}\n`).join('')}`,
  )
}

/** Elements of the view whose content is wider than the window, or wider or higher than their box and not scrolled or shortened. */
const overflowing = `[...document.querySelectorAll('main :is(.waiting-item, .call, .call > summary, .task-card, .chart-label, .approval, .entry, label)')]
  .filter((one) => one.checkVisibility())
  .filter((one) => {
    const { left, right } = one.getBoundingClientRect()
    const box = one.closest('.entry, .board-column, .split-detail, main').getBoundingClientRect()
    return right > Math.min(innerWidth, box.right) + 1 || left < 0 || one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1
  })
  .map((one) => one.className || one.tagName)`

const views = [
  ['/', '[data-session="hidden-1"]'],
  ['/waiting', '[data-status="pending"]'],
  [`/sessions/${name}-1`, '.call'],
  ['/timeline', '.waiting-item'],
  [`/timeline/${name}-1`, '.timeline[data-loaded="true"] .chart-label'],
  ['/tasks', '[data-task="long"]'],
  ['/tasks/long', '[data-detail]'],
  ['/agents/coordinator?tab=what-if', '.what-if'],
  ['/search?text=Pneumono', '[data-hit]'],
] as const

const windows: readonly (readonly [string, ContextOptions])[] = [
  ['on a phone', { viewport: { width: 360, height: 740 } }],
  ['in a window', { viewport: { width: 1280, height: 800 } }],
]

describe.each(windows)('%s', (_, context) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open(write, { browser, context })
  })
  afterAll(() => opened.close())

  test.each(views)('%s shows long words inside their boxes', async (path, shown) => {
    const page = await opened.visit(path)
    onTestFinished(() => page.close())
    await page.locator(shown).first().waitFor({ state: 'attached' })
    expect(await page.evaluate(overflowing)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  })
})

test('an approval shows hidden characters in its task and in the name of the agent', async () => {
  const opened = await open(write, { browser })
  onTestFinished(() => opened.close())
  const page = await opened.visit('/sessions/hidden-1')
  const head = page.locator('.approval-head')
  await head.waitFor()
  expect(await head.innerText()).toContain('task delete \\u202etxt.exe\\u202c now')
  expect(await page.locator('h1').innerText()).toContain('hid\\u202eden')
  expect(await page.locator('.approval').innerText()).not.toMatch(/\u202e/)
})

test('text from right to left starts at the right', async () => {
  const opened = await open(write, { browser })
  onTestFinished(() => opened.close())
  const page = await opened.visit('/sessions/reader-1')
  await page.locator('.entry-reply .prose').waitFor()
  const gaps = await page.evaluate<number[]>(`[...document.querySelectorAll('.entry .prose')].map((prose) => {
    const range = document.createRange()
    range.selectNodeContents(prose.querySelector('p') ?? prose)
    const line = [...range.getClientRects()].at(-1)
    return Math.abs(prose.getBoundingClientRect().right - line.right)
  })`)
  expect(gaps).toHaveLength(2)
  expect(Math.max(...gaps)).toBeLessThan(2)
})

test.each(['/nonsense', '/sessions/none', '/timeline/none'])(
  '%s says what is missing, with a heading',
  async (path) => {
    const opened = await open(write, { browser })
    onTestFinished(() => opened.close())
    const page = await opened.visit(path)
    await page.locator('main [role="alert"]').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  },
)
