import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPathResolver, type PathResolver } from './path-resolver.ts'

let folder: string
let workspace: string
let memory: string
let places: PathResolver

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-mounts-')))
  workspace = path.join(folder, 'work')
  memory = path.join(folder, 'home/memory')
  mkdirSync(workspace)
  mkdirSync(path.join(memory, 'deep'), { recursive: true })
  writeFileSync(path.join(memory, 'a.md'), 'remembered')
  writeFileSync(path.join(memory, 'deep/b.md'), 'deeper')
  writeFileSync(path.join(folder, 'home/config.yaml'), 'secret: x')
  writeFileSync(path.join(folder, 'outside.md'), 'outside')
  places = createPathResolver({ home: path.join(folder, 'home') })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (given: string) => places.judge({ path: given, workspace, write: false })

describe('the memory of a home', () => {
  it.each([
    ['memory/a.md', 'a.md'],
    ['./memory//a.md', 'a.md'],
    ['memory/deep/../a.md', 'a.md'],
    ['nothing/../memory/a.md', 'a.md'],
    ['memory\\a.md', 'a.md'],
    ['memory/deep/b.md', 'deep/b.md'],
    ['memory/none.md', 'none.md'],
  ])('is readable as %s in every workspace', (given, below) => {
    const real = path.join(memory, below)
    expect(read(given)).toMatchObject({ kind: 'inside', real, root: workspace, shown: `memory/${below}` })
    expect(places.locate(given, workspace)).toBe(real)
    expect(places.locate(path.join(workspace, given.replaceAll('\\', '/')), workspace)).toBe(real)
  })

  it('is listed as a folder', () => {
    expect(read('memory')).toMatchObject({
      kind: 'inside',
      real: memory,
      mount: { name: 'memory', folder: memory },
    })
    expect(places.mountsIn(workspace)).toEqual([{ name: 'memory', folder: memory }])
  })

  it.each(['memory', 'memory/a.md', 'memory/new.md', 'memory/deep/x/y.md'])(
    'is not writable as %s',
    (given) => {
      expect(places.judge({ path: given, workspace, write: true })).toMatchObject({ kind: 'protected' })
    },
  )

  it('does not lead outside, even through links in it', () => {
    symlinkSync('../config.yaml', path.join(memory, 'config.md'))
    symlinkSync(folder, path.join(memory, 'up'))
    symlinkSync('/etc/passwd', path.join(memory, 'passwd'))
    symlinkSync('a.md', path.join(memory, 'same.md'))
    symlinkSync('loop', path.join(memory, 'loop'))
    for (const given of ['memory/config.md', 'memory/up/outside.md', 'memory/passwd', 'memory/up'])
      expect(read(given)).toMatchObject({
        kind: 'outside',
        reason: expect.stringContaining('points outside memory/'),
      })
    expect(read('memory/same.md')).toMatchObject({ kind: 'inside', real: path.join(memory, 'a.md') })
    expect(read('memory/loop')).toMatchObject({ kind: 'invalid' })
    // Above the mount is the workspace, as for a real folder.
    expect(read('memory/../outside.md')).toMatchObject({
      kind: 'inside',
      real: path.join(workspace, 'outside.md'),
    })
    expect(read('memory/../../outside.md')).toMatchObject({ kind: 'outside' })
    expect(read('Memory/a.md')).toMatchObject({ real: path.join(workspace, 'Memory/a.md') })
    expect(read('memory.md')).toMatchObject({ real: path.join(workspace, 'memory.md') })
  })

  it('is hidden by an entry with that name in the workspace', () => {
    writeFileSync(path.join(workspace, 'memory'), 'a file')
    expect(read('memory')).toMatchObject({ real: path.join(workspace, 'memory') })
    expect(places.mountsIn(workspace)).toEqual([])
    rmSync(path.join(workspace, 'memory'))
    symlinkSync('elsewhere', path.join(workspace, 'memory'))
    expect(read('memory/a.md')).toMatchObject({ real: path.join(workspace, 'elsewhere/a.md') })
    rmSync(path.join(workspace, 'memory'))
    mkdirSync(path.join(workspace, 'memory'))
    expect(read('memory/a.md')).toMatchObject({ real: path.join(workspace, 'memory/a.md') })
    expect(places.judge({ path: 'memory/a.md', workspace, write: true }).kind).toBe('inside')
  })

  it('does not exist for commands, without a home, or if it is not a folder', () => {
    const real = path.join(workspace, 'memory/a.md')
    expect(places.judge({ path: 'memory/a.md', workspace, write: true, mounts: false })).toMatchObject({
      kind: 'inside',
      real,
    })
    expect(createPathResolver().judge({ path: 'memory/a.md', workspace, write: false })).toMatchObject({
      real,
    })
    rmSync(memory, { recursive: true })
    expect(read('memory/a.md')).toMatchObject({ real })
    writeFileSync(memory, '')
    expect(read('memory/a.md')).toMatchObject({ real })
  })

  it('exists in a workspace inside the home', () => {
    const isolated = path.join(folder, 'home/workspaces/w')
    mkdirSync(isolated, { recursive: true })
    expect(places.judge({ path: 'memory/a.md', workspace: isolated, write: false })).toMatchObject({
      kind: 'inside',
      real: path.join(memory, 'a.md'),
    })
  })
})
