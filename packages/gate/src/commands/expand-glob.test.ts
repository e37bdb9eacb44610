import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { expandGlob } from './expand-glob.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'glob-'))
for (const name of ['a.ts', 'b.ts', '.hidden', 'sub/c.ts', 'sub/.d/e.ts']) {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  writeFileSync(path.join(folder, name), '')
}
symlinkSync('/', path.join(folder, 'link'))

describe('glob expansion', () => {
  it.each([
    ['*.ts', ['a.ts', 'b.ts']],
    ['?.ts', ['a.ts', 'b.ts']],
    ['[ab].ts', ['a.ts', 'b.ts']],
    ['*/c.ts', ['sub/c.ts']],
    ['./*.ts', ['./a.ts', './b.ts']],
    ['sub/*', ['sub/c.ts']],
    ['sub/.*/e.ts', ['sub/.d/e.ts']],
    ['.h*', ['.hidden']],
    ['.*', ['.hidden', '.', '..']],
    ['nothing/*', []],
  ])('%s', (glob, paths) => {
    const found = expandGlob(glob, folder)
    expect(found).toEqual({ paths: expect.arrayContaining(paths), isCut: false })
    expect(found.paths).toHaveLength(paths.length)
  })

  it('matches everything instead of parsing alternatives or many stars', () => {
    expect(expandGlob('@(x)', folder).paths).toContain('.hidden')
    expect(expandGlob(`${'*a'.repeat(40)}`, folder).paths).toContain('link')
  })

  it('finds links and protected files among the matching names', () => {
    expect(expandGlob('l*/etc', folder).paths).toEqual(['link/etc'])
    expect(expandGlob('*/*/*/*', folder)).toMatchObject({ isCut: true })
  })
})
