import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openIndexStore } from './index-store.ts'

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-store-')))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const fileIn = () => {
  const folder = path.join(home, 'storage/index')
  return path.join(folder, readdirSync(folder)[0] ?? '')
}

it('returns stored data only for that folder and name', async () => {
  const store = openIndexStore(home)
  const bytes = Buffer.from([0, 1, 10, 255, 10])
  expect(await store.save('/a', 'words', bytes)).toBe(true)
  expect(await openIndexStore(home).load('/a', 'words')).toEqual(bytes)
  expect(await store.load('/a', 'other')).toBeUndefined()
  expect(await store.load('/b', 'words')).toBeUndefined()
})

it('ignores data with any changed or missing byte', async () => {
  const store = openIndexStore(home)
  await store.save('/a', 'words', 'pool and connection')
  const whole = readFileSync(fileIn())
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] as number) ^ 1
    for (const damaged of [changed, whole.subarray(0, at)]) {
      writeFileSync(fileIn(), damaged)
      expect((await store.load('/a', 'words'))?.toString() ?? 'nothing').toBe('nothing')
    }
  }
})

it('creates no home', async () => {
  const missing = path.join(home, 'missing')
  expect(await openIndexStore(missing).save('/a', 'words', 'x')).toBe(false)
  expect(existsSync(missing)).toBe(false)
})
