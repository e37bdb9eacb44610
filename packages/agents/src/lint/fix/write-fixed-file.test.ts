import { chmodSync, linkSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createFolder } from '../folder.spec-helpers.ts'
import { writeFixedFile } from './write-fixed-file.ts'

const before = Buffer.from('old')

it('replaces the file, keeps its mode, and leaves no other file', () => {
  const folder = createFolder({ 'a.md': before })
  chmodSync(folder.at('a.md'), 0o640)
  expect(
    writeFixedFile({ file: folder.at('a.md'), within: folder.path, before, text: 'new' }),
  ).toBeUndefined()
  expect(readFileSync(folder.at('a.md'), 'utf8')).toBe('new')
  expect(statSync(folder.at('a.md')).mode & 0o777).toBe(0o640)
  expect(readdirSync(folder.path)).toEqual(['a.md'])
})

it('writes through a link that stays inside, and keeps the link', () => {
  const folder = createFolder({ 'real/a.md': before })
  symlinkSync('real/a.md', folder.at('b.md'))
  expect(
    writeFixedFile({ file: folder.at('b.md'), within: folder.path, before, text: 'new' }),
  ).toBeUndefined()
  expect(lstatSync(folder.at('b.md')).isSymbolicLink()).toBe(true)
  expect(readFileSync(folder.at('real/a.md'), 'utf8')).toBe('new')
})

it('writes nothing outside, even through links', () => {
  const folder = createFolder({ 'out/a.md': before, 'in/x.md': '' })
  symlinkSync('../out/a.md', folder.at('in/a.md'))
  symlinkSync('../out', folder.at('in/deep'))
  for (const file of ['in/a.md', 'in/deep/a.md', 'out/a.md'])
    expect(writeFixedFile({ file: folder.at(file), within: folder.at('in'), before, text: 'new' })).toContain(
      'link that points outside',
    )
  expect(readFileSync(folder.at('out/a.md'), 'utf8')).toBe('old')
})

it('does not overwrite a concurrent change', () => {
  const folder = createFolder({ 'a.md': 'newer' })
  linkSync(folder.at('a.md'), folder.at('b.md'))
  expect(writeFixedFile({ file: folder.at('a.md'), within: folder.path, before, text: 'new' })).toContain(
    'another program has changed the file',
  )
  expect(readFileSync(folder.at('a.md'), 'utf8')).toBe('newer')
  expect(readdirSync(folder.path)).toEqual(['a.md', 'b.md'])
})
