import { existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import type { Run } from '@cadre/core'
import type { Home } from '@cadre/home'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { read, specOf } from '../format/journal.spec-helpers.ts'
import {
  dead,
  pathOf,
  said,
  say,
  type TestEngine,
  temporaryHome,
  testEngine,
  textOf,
} from './engine.spec-helpers.ts'

/** A session, its expected content, and every event that can happen to it. */
class Life {
  private readonly home: Home = temporaryHome()
  private engine: TestEngine | undefined
  private run: Run | undefined
  private boot = 0
  private count = 0
  private expected: (string | null)[] = []
  /** Bytes that were synced before the segment began. */
  private safe = 0

  async speak(durable: boolean): Promise<void> {
    const text = `text ${++this.count}\n${'x'.repeat(this.count % 90)}`
    await say(await this.running(), text, durable)
    this.expected.push(text)
  }

  /** A person edits the file, in place or by replacing it. The session notices immediately or with its next write. */
  async edit(change: (text: string) => string, inPlace: boolean, looks: boolean): Promise<void> {
    await this.check()
    const path = pathOf(this.home, 'lead-1')
    const text = change(textOf(this.home, 'lead-1'))
    if (!inPlace) writeFileSync(`${path}.swap`, text)
    if (inPlace) writeFileSync(path, text)
    else renameSync(`${path}.swap`, path)
    this.expected = said(read(text)?.entries)
    this.safe = 0
    if (looks) this.run?.changes()
  }

  add(): (text: string) => string {
    return (text) =>
      `${text}${text.endsWith('\n') ? '' : '\n'}  - role: user\n    content: mine ${++this.count}\n`
  }

  /** `kill -9`: nothing more is written, and the lease is not released. */
  kill(): void {
    this.engine = undefined
    this.run = undefined
  }

  async close(): Promise<void> {
    await this.run?.end({ kind: 'suspended', questions: [] })
    await this.engine?.close()
    this.kill()
  }

  /** Unsynced data is lost; entries that were acknowledged as durable are not. */
  async losePower(keeps: number): Promise<void> {
    await this.speak(true)
    const path = pathOf(this.home, 'lead-1')
    const whole = readFileSync(path)
    const left = this.safe + (keeps % (whole.length - this.safe))
    if (keeps % 3 === 0) writeFileSync(path, whole.fill(0, left))
    else if (keeps % 3 === 1 && this.safe === 0) rmSync(path)
    else truncateSync(path, left)
    this.boot++
    this.kill()
  }

  async check(): Promise<void> {
    await this.running()
    expect(said((await this.engine?.read('lead-1'))?.entries)).toEqual(this.expected)
  }

  private async running(): Promise<Run> {
    this.engine ??= await testEngine(this.home, { identity: { ...dead, boot: `boot-${this.boot}` } })
    if (this.run === undefined) {
      const path = pathOf(this.home, 'lead-1')
      this.safe = existsSync(path) ? readFileSync(path).length : 0
      this.run = await this.engine.open(specOf('lead-1'))
    }
    return this.run
  }
}

const cut = (entries: number) => (text: string) => {
  const starts = [...text.matchAll(/^ {2}- /gm)].map((match) => match.index)
  return text.slice(0, starts.at(-entries) ?? starts[0] ?? text.length)
}

const event: fc.Arbitrary<(life: Life) => unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.boolean().map((durable) => (life: Life) => life.speak(durable)) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.boolean(), fc.boolean()).map(
      ([place, looks]) =>
        (life: Life) =>
          life.edit(life.add(), place, looks),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean(), fc.boolean()).map(
      ([entries, place, looks]) =>
        (life: Life) =>
          life.edit(cut(entries), place, looks),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant((life: Life) => life.edit((text) => text.replaceAll('\n', '\r\n'), false, true)),
  },
  { weight: 2, arbitrary: fc.constant((life: Life) => life.kill()) },
  { weight: 1, arbitrary: fc.constant((life: Life) => life.close()) },
  { weight: 2, arbitrary: fc.nat().map((keeps) => (life: Life) => life.losePower(keeps)) },
)

it('random edits, kills and power losses never lose, restore or duplicate an entry', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 3, maxLength: 14 }), async (events) => {
      const life = new Life()
      for (const happen of events) {
        await happen(life)
        await life.check()
      }
      await life.close()
    }),
    { numRuns: process.env['CADRE_DEEP'] ? 200 : 15, seed: 42 },
  )
})
