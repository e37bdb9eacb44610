/** Whatever breaks between the page and the server, and however often: in the end the page shows what the files say. */
import { rmSync } from 'node:fs'
import { type OpenedPage, openPage } from '@cadre/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type BreakingProxy, startBreakingProxy } from './support/breaking-proxy.ts'
import { type Browser, launchBrowser, type Page, untilUsable, waitLimit } from './support/browser.ts'
import { commandTree, openTrees, untilShown } from './support/shown-tree.ts'
import {
  asks,
  ended,
  reply,
  result,
  say,
  started,
  type WrittenHome,
  writtenHome,
} from './support/written-home.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

/** Six sessions in two trees, each a chain. */
const parentOf = (number: number) => (number % 3 === 0 ? undefined : number - 1)
const nameOf = (number: number) => `${['lead', 'planner', 'builder'][number % 3]}-${number}`
const rootOf = (number: number) => number - (number % 3)

type Step =
  | { readonly kind: 'write'; readonly id: number; readonly length: number }
  | { readonly kind: 'remove'; readonly id: number }
  | { readonly kind: 'cut' | 'sleep' | 'wake' | 'kill' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      id: fc.nat(5),
      length: fc.integer({ min: 1, max: 7 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), id: fc.constantFrom(2, 5) }) },
  { weight: 3, arbitrary: fc.constantFrom<Step>({ kind: 'cut' }, { kind: 'sleep' }, { kind: 'wake' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'kill' }) },
)

class World {
  readonly home: WrittenHome = writtenHome()
  readonly #present = new Set<number>()
  #server: OpenedPage | undefined
  readonly #proxy: BreakingProxy
  readonly #page: Page

  constructor(proxy: BreakingProxy, page: Page) {
    this.#proxy = proxy
    this.#page = page
    for (let number = 0; number < 6; number++) this.#write(number, 2)
  }

  /** Starts the server, and signs the page in. */
  async start(): Promise<void> {
    this.#server = await openPage({
      home: this.home.home,
      environment: {
        env: { CADRE_TRUST: '1', HOME: this.home.home.folder(), PATH: process.env['PATH'] },
        cwd: this.home.home.folder(),
        warn: () => {},
      },
      version: '0.0.0',
      grant: { by: 'ann', roles: ['viewer'] },
      port: 0,
      tell: () => {},
    })
    this.#proxy.serve(this.#server.address)
    await this.#page.goto('about:blank')
    await this.#page.goto(`${this.#proxy.address}/${new URL(this.#server.url).hash}`)
    await untilUsable(this.#page)
    await this.#page.locator('[role="row"][data-session]').first().waitFor()
    await openTrees(this.#page)
  }

  async happen(change: Step): Promise<void> {
    if (change.kind === 'write') this.#write(change.id, change.length)
    else if (change.kind === 'remove') this.#remove(change.id)
    else if (change.kind === 'cut') this.#proxy.cut()
    else if (change.kind === 'sleep') this.#proxy.freeze()
    else if (change.kind === 'wake') this.#proxy.thaw()
    else {
      // Streams end without a word, and everything in memory is gone, the login as well.
      this.#proxy.serve(undefined)
      this.#proxy.cut()
      this.#proxy.thaw()
      await this.#server?.close()
      await this.start()
    }
    // Some events reach the page, others do not: which ones is up to the machine.
    await this.#page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }

  async wanted() {
    const roots = [0, 3].filter((number) => this.#present.has(number)).map(nameOf)
    const trees = []
    for (const root of roots) trees.push(...(await commandTree(this.home.home, root)))
    return trees
  }

  wake(): void {
    this.#proxy.thaw()
  }

  async close(): Promise<void> {
    await this.#server?.close()
    this.home.remove()
  }

  #remove(number: number): void {
    this.#present.delete(number)
    rmSync(this.home.home.at('sessions', `${nameOf(number)}.session.yaml`), { force: true })
  }

  /** A journal with its first entries: the shorter one may replace the longer one, as after a rewind. */
  #write(number: number, length: number): void {
    const parent = parentOf(number)
    if (parent !== undefined && !this.#present.has(parent)) return
    this.#present.add(number)
    const hasChild = number % 3 !== 2
    const call = hasChild
      ? reply('I delegate.', ['c1', 'delegate_task', { subagent_type: 'x', prompt: 'Do it.' }])
      : reply('I read.', ['c1', 'read_file', { path: 'a.ts' }])
    const entries = [
      say(`Work ${number}.`),
      call,
      started('c1', hasChild ? { child: nameOf(number + 1) } : {}),
      result('c1', 'done'),
      ...(hasChild ? [reply('Nearly.')] : asks('c2', 'npm test', 'LOW').slice(0, 3)),
      ended(nameOf(number)),
    ].slice(0, Math.max(hasChild ? 3 : 1, length))
    const root = nameOf(rootOf(number))
    this.home.session(nameOf(number), entries, {
      root,
      ...(parent !== undefined && { parent: { session: nameOf(parent), call: 'c1' } }),
      depth: number % 3,
      work: { content: `Work ${number}.` },
    })
  }
}

test('after any cuts, sleeps and kills, the page is equal to `sessions tree --json`', async () => {
  const proxy = await startBreakingProxy()
  onTestFinished(() => proxy.close())
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(waitLimit)
  onTestFinished(() => context.close())
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      const page = await context.newPage()
      const world = new World(proxy, page)
      try {
        await world.start()
        for (const change of steps) await world.happen(change)
        world.wake()
        const wanted = await world.wanted()
        expect(wanted.length).toBeGreaterThan(2)
        const sorted = wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        expect(await untilShown(page, wanted)).toEqual(sorted)
      } finally {
        world.wake()
        await page.close()
        await world.close()
      }
    }),
    { numRuns: 10, endOnFailure: true },
  )
})
