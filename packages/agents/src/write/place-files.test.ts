import {
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
import { describe, expect, it, onTestFinished } from 'vitest'
import { placeFiles } from './place-files.ts'

function folder(files: Record<string, string> = {}): string {
  const made = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-place-')))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(made, name)), { recursive: true })
    writeFileSync(path.join(made, name), text)
  }
  return made
}
const listing = (at: string) => readdirSync(at, { recursive: true, encoding: 'utf8' }).sort()
const file = (name: string, text = 'new') => ({ path: name, text })

describe('placing files', () => {
  it('creates missing folders, and leaves nothing else behind', () => {
    const at = folder({ 'deep/same.md': 'new' })
    const placed = placeFiles({
      folder: at,
      files: [file('deep/er/a.md'), file('deep/same.md')],
      force: false,
    })
    expect(placed).toEqual({
      kind: 'placed',
      files: [
        { path: 'deep/er/a.md', status: 'created' },
        { path: 'deep/same.md', status: 'unchanged' },
      ],
    })
    expect(readFileSync(path.join(at, 'deep/er/a.md'), 'utf8')).toBe('new')
    expect(listing(at)).toEqual(['deep', 'deep/er', 'deep/er/a.md', 'deep/same.md'])
  })

  it('writes nothing if one of the files exists, unless it may be replaced', () => {
    const at = folder({ 'b.md': 'old' })
    const files = [file('a.md'), file('b.md'), file('c/d.md')]
    expect(placeFiles({ folder: at, files, force: false })).toEqual({
      kind: 'refused',
      faults: [{ path: 'b.md', reason: 'It already exists.', isTaken: true }],
    })
    expect(listing(at)).toEqual(['b.md'])
    expect(placeFiles({ folder: at, files, force: true, dryRun: true }).kind).toBe('placed')
    expect(listing(at)).toEqual(['b.md'])
    placeFiles({ folder: at, files, force: true })
    expect(readFileSync(path.join(at, 'b.md'), 'utf8')).toBe('new')
  })

  it('reverts everything if one of the files cannot be written', () => {
    const at = folder({ 'b.md': 'old', blocked: 'a file where a folder has to be' })
    const files = [file('x/y/a.md'), file('b.md'), file('blocked/c.md')]
    expect(() => placeFiles({ folder: at, files, force: true })).toThrow()
    expect(listing(at)).toEqual(['b.md', 'blocked'])
    expect(readFileSync(path.join(at, 'b.md'), 'utf8')).toBe('old')
  })

  it.each<[string, (at: string, outside: string) => void, string]>([
    [
      'a folder that is a link to the outside',
      (at, outside) => symlinkSync(outside, path.join(at, 'agents')),
      'agents/a.md',
    ],
    [
      'a dangling link',
      (at, outside) => symlinkSync(path.join(outside, 'no'), path.join(at, 'agents')),
      'agents/a.md',
    ],
    [
      'a file that is a link',
      (at, outside) => symlinkSync(path.join(outside, 'victim'), path.join(at, 'a.md')),
      'a.md',
    ],
    ['a path with ..', () => {}, '../a.md'],
    ['an absolute path', () => {}, '/tmp/cadre-never.md'],
    ['a folder in its place', (at) => mkdirSync(path.join(at, 'a.md')), 'a.md'],
  ])('rejects %s, even with force', (_, prepare, name) => {
    const at = folder()
    const outside = folder({ victim: 'safe' })
    prepare(at, outside)
    const before = listing(at)
    expect(placeFiles({ folder: at, files: [file(name)], force: true }).kind).toBe('refused')
    expect(listing(at)).toEqual(before)
    expect(listing(outside)).toEqual(['victim'])
    expect(readFileSync(path.join(outside, 'victim'), 'utf8')).toBe('safe')
  })

  it('follows a link that a person named as the folder itself', () => {
    const at = folder()
    const link = path.join(folder(), 'link')
    symlinkSync(at, link)
    expect(placeFiles({ folder: link, files: [file('a/b.md')], force: false }).kind).toBe('placed')
    expect(listing(at)).toEqual(['a', 'a/b.md'])
  })
})
