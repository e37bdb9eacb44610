import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FolderItem } from '@cadre/gate'
import { openHome } from '@cadre/home'
import { beforeEach, expect, it } from 'vitest'
import { guardTrackedFiles } from './guard-tracked-files.ts'

let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-guard-')))
  execFileSync('git', ['init', '-q'], { cwd: folder })
  mkdirSync(path.join(folder, '.cadre'))
  return () => rmSync(folder, { recursive: true, force: true })
})

it('waits while git is running, checks when the index has changed, and ends when the home is not trusted', async () => {
  const home = openHome({ cwd: folder, env: {} })
  let items: FolderItem[] = []
  let looked = 0
  const guard = guardTrackedFiles(home, async () => {
    looked++
    return items
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  expect(guard.mayAct()).toBe(true)
  const lock = path.join(folder, '.git', 'index.lock')
  writeFileSync(lock, '')
  expect(guard.mayAct()).toBe(false)
  // A lock left by a dead git process blocks nothing forever.
  utimesSync(lock, 0, 0)
  expect(guard.mayAct()).toBe(true)
  rmSync(lock)
  expect(looked).toBe(0)
  writeFileSync(path.join(folder, 'a'), '')
  execFileSync('git', ['add', 'a'], { cwd: folder })
  expect(guard.mayAct()).toBe(false)
  await settled()
  expect([guard.mayAct(), looked]).toEqual([true, 1])
  items = [{ path: 'x', sha256: 'x', file: 'x', what: 'x' }]
  writeFileSync(path.join(folder, 'b'), '')
  execFileSync('git', ['add', 'b'], { cwd: folder })
  expect(guard.mayAct()).toBe(false)
  expect(await guard.untrusted).toBe(items)
  expect(guard.mayAct()).toBe(false)
})
