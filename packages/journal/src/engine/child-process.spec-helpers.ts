/**
 * A separate program for tests that kill processes or let them race. The first argument is the action, the second the home. Tests read its
 * standard output line by line.
 */
import { readdirSync, writeSync } from 'node:fs'
import type { Clock } from '@cadre/core'
import { openHome } from '@cadre/home'
import { specOf } from '../format/journal.spec-helpers.ts'
import { createFileEngine } from './file-engine.ts'

const [, , action, folder = '', ...rest] = process.argv
const clock: Clock = { now: Date.now, after: () => () => {} }
const engine = await createFileEngine({ home: openHome({ home: folder, cwd: '/', env: {} }), clock })
const tell = (line: string) => writeSync(1, `${line}\n`)

/** Writes until it is killed, and prints what was acknowledged. */
async function write(count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `lead-${index}`)
  await Promise.all(
    ids.map(async (id) => {
      const run = await engine.open(specOf(id))
      for (let step = run.recorded.length; ; step++) {
        const content = `${step}\n${'x'.repeat((step % 7) * 2000)}`
        const [entry] = await run.step(`${step}`, () => [{ role: 'user', content }], {
          durable: step % 2 === 0,
        })
        tell(`${id} ${entry?.seq}`)
      }
    }),
  )
}

/** Tries to open all sessions on request, and keeps the ones it got until its input ends. */
async function race(count: number): Promise<void> {
  tell('ready')
  await new Promise((resolve) => process.stdin.once('data', resolve))
  const won: number[] = []
  for (let index = 0; index < count; index++) {
    const error = await engine.open(specOf(`lead-${index}`)).then(
      () => undefined,
      (reason) => reason,
    )
    if (error === undefined) won.push(index)
    else if (error.code !== 'owned') throw error
  }
  tell(JSON.stringify(won))
  await new Promise((resolve) => process.stdin.once('end', resolve))
}

/** Opens many sessions with few file descriptors. */
async function crowd(count: number): Promise<void> {
  const runs = []
  for (let index = 0; index < count; index++)
    runs.push(await engine.open(specOf(`worker-${index}`, { root: 'lead-1' })))
  for (let step = 0; step < 3; step++) {
    await Promise.all(
      runs.map((run) => run.step(`${step}`, () => [{ role: 'user', content: `${step}` }], { durable: true })),
    )
  }
  tell(`open ${readdirSync('/proc/self/fd').length}`)
  await engine.close()
  tell('done')
}

/** Writes until the disk is full, and then a short entry. */
async function fill(): Promise<void> {
  const run = await engine.open(specOf('lead-1'))
  for (let step = 0; ; step++) {
    const draft = { role: 'user', content: 'x'.repeat(3000) } as const
    const error = await run
      .step(`${step}`, () => [draft], { durable: true })
      .then(
        () => undefined,
        (reason) => reason,
      )
    if (error === undefined) continue
    tell(`${error.code} ${step}`)
    break
  }
  await run.step('short', () => [{ role: 'user', content: 'short' }], { durable: true })
  await run.end({ kind: 'ended', outcome: 'completed' })
  await engine.close()
  tell('done')
}

if (action === 'write') await write(Number(rest[0]))
if (action === 'fill') await fill()
if (action === 'race') await race(Number(rest[0]))
if (action === 'crowd') await crowd(Number(rest[0]))
