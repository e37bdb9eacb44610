import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Home, openHome } from '@cadre/home'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyWorkspace } from './copy-workspace.ts'

let root: string
let home: Home
const never = new AbortController().signal
const at = (...names: string[]) => path.join(root, ...names)

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-copy-')))
  home = openHome({ home: at('.cadre'), cwd: root, env: {} })
  mkdirSync(at('src'))
  writeFileSync(at('src', 'a.txt'), 'a'.repeat(1_000))
  writeFileSync(at('src', 'b.txt'), 'b'.repeat(1_000))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('a copy of a workspace', () => {
  it('contains everything except the home, and is deleted afterwards', async () => {
    symlinkSync('a.txt', at('src', 'link'))
    home.folder('storage')
    const copied = await copyWorkspace(root, { home }, never)
    if (copied.kind === 'refused') throw new Error(copied.reason)
    expect(readdirSync(copied.folder)).toEqual(['src'])
    expect(readFileSync(path.join(copied.folder, 'src', 'link'), 'utf8')).toBe('a'.repeat(1_000))
    copied.remove()
    expect(readdirSync(home.at('storage', 'copies'))).toEqual([])
  })

  it.each([
    ['bytes', { bytes: 1_999, files: 100 }],
    ['files', { bytes: 100_000, files: 3 }],
  ])('is not created from too many %s, and reports what to do', async (_, limits) => {
    const copied = await copyWorkspace(root, { home, limits }, never)
    expect(copied).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/too large to copy.*\. Remove build output/),
    })
    expect(existsSync(home.at('storage', 'copies'))).toBe(false)
  })

  it('is created just within the limits, not counting the home', async () => {
    writeFileSync(path.join(home.folder('storage'), 'large'), 'x'.repeat(10_000))
    const copied = await copyWorkspace(root, { home, limits: { bytes: 2_000, files: 4 } }, never)
    expect(copied.kind).toBe('copied')
  })

  it('of a dead process is deleted by the next one; that of a running process is not', async () => {
    const folder = home.folder('storage', 'copies')
    const leave = `const { mkdirSync, writeFileSync } = require('fs'); const at = ${JSON.stringify(folder)} + '/' + process.pid + '-dead'; mkdirSync(at); writeFileSync(at + '/owner', 'anything'); console.log(at); process.kill(process.pid, 'SIGKILL')`
    const left = spawnSync(process.execPath, ['-e', leave], { encoding: 'utf8' }).stdout.trim()
    expect(existsSync(left)).toBe(true)
    const first = await copyWorkspace(root, { home }, never)
    expect(existsSync(left)).toBe(false)
    const second = await copyWorkspace(root, { home }, never)
    if (first.kind === 'refused' || second.kind === 'refused') throw new Error('refused')
    expect(existsSync(first.folder)).toBe(true)
    expect(readdirSync(folder)).toHaveLength(2)
  })

  it('is deleted when it is cancelled', async () => {
    const copied = await copyWorkspace(root, { home }, AbortSignal.abort())
    expect(copied).toMatchObject({ kind: 'refused', reason: expect.stringContaining('cancelled') })
    expect(readdirSync(home.at('storage', 'copies'))).toEqual([])
  })
})
