import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { anything, defineTool, type Tool } from '@cadre/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { combineTools } from './custom/combine-tools.ts'
import { loadCustomTools } from './custom/load-custom-tools.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-modules-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const load = (modules: string[], trusted = (_: string): boolean => true) =>
  loadCustomTools({ modules, base: folder, trusted })
const write = (name: string, source: string) => writeFileSync(path.join(folder, name), source)
const tool = (name: string) =>
  `{ name: '${name}', description: 'A tool', class: 'read', effect: 'read', parameters: { type: 'object' }, input: { '~standard': { version: 1, vendor: 'x', validate: (value) => ({ value }) } }, run: async () => ({ content: '${name} ran' }) }`

describe('loadCustomTools', () => {
  it('loads a tool, a list and a record of tools', async () => {
    write(
      'one.mjs',
      `export const one = ${tool('one')}\nexport const helper = () => 1\nexport const version = '1'`,
    )
    write('list.mjs', `export const tools = [${tool('two')}, ${tool('three')}]`)
    write('record.mjs', `export default { four: ${tool('four')} }`)
    const { tools, faults } = await load(['./one.mjs', 'list.mjs', path.join(folder, 'record.mjs')])
    expect(faults).toEqual([])
    expect(tools.map(({ name, origin }) => [name, origin])).toEqual([
      ['one', 'custom'],
      ['two', 'custom'],
      ['three', 'custom'],
      ['four', 'custom'],
    ])
    expect(
      await tools[0]!.run(
        {},
        { session: '', agent: '', call: '', key: '', workspace: folder },
        new AbortController().signal,
      ),
    ).toEqual({ content: 'one ran' })
  })

  it('does not load untrusted modules', async () => {
    const marker = path.join(folder, 'ran')
    write(
      'evil.mjs',
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(marker)}, '')\nexport const one = ${tool('one')}`,
    )
    write('good.mjs', `export const two = ${tool('two')}`)
    const { tools, faults } = await load(['evil.mjs', 'good.mjs'], (file) => !file.endsWith('evil.mjs'))
    expect(tools.map(({ name }) => name)).toEqual(['two'])
    expect(faults).toEqual([
      { path: path.join(folder, 'evil.mjs'), code: 'untrusted', message: expect.stringContaining('--trust') },
    ])
    const { existsSync } = await import('node:fs')
    expect(existsSync(marker)).toBe(false)
  })

  it('checks the trust of the real file, not of a link to it', async () => {
    const { symlinkSync } = await import('node:fs')
    write('real.mjs', `export const one = ${tool('one')}`)
    symlinkSync('real.mjs', path.join(folder, 'link.mjs'))
    const asked: string[] = []
    await load(['link.mjs'], (file) => asked.push(file) > 0)
    expect(asked).toEqual([path.join(folder, 'real.mjs')])
  })

  it.each([
    ['missing.mjs', undefined, 'missing'],
    ['syntax.mjs', 'export const = 1', 'broken'],
    ['throws.mjs', 'throw new Error("at load")', 'broken'],
    ['empty.mjs', 'export const x = 1', 'malformed'],
    ['no-run.mjs', `export const x = { name: 'x', description: 'x', input: {} }`, 'malformed'],
    ['bad-name.mjs', `export const x = { ...${tool('one')}, name: 'a b' }`, 'malformed'],
    ['bad-class.mjs', `export const x = { ...${tool('one')}, class: 'root' }`, 'malformed'],
    ['bad-effect.mjs', `export const x = { ...${tool('one')}, effect: undefined }`, 'malformed'],
    ['no-schema.mjs', `export const x = { ...${tool('one')}, input: { type: 'object' } }`, 'malformed'],
    ['no-json.mjs', `export const x = { ...${tool('one')}, parameters: undefined }`, 'malformed'],
    ['list.mjs', 'export const tools = [1, null]', 'malformed'],
  ])('%s is reported with its path, and the others are loaded', async (name, source, code) => {
    if (source !== undefined) write(name, source)
    write('good.mjs', `export const good = ${tool('good')}`)
    const { tools, faults } = await load([name, 'good.mjs'])
    expect(tools.map((each) => each.name)).toEqual(['good'])
    expect(faults.length).toBeGreaterThan(0)
    for (const fault of faults)
      expect(fault).toMatchObject({
        code,
        path: path.join(folder, name),
        message: expect.stringContaining(name),
      })
  })

  it('loads a changed module again', async () => {
    write('a.mjs', `export const a = ${tool('before')}`)
    expect((await load(['a.mjs'])).tools[0]?.name).toBe('before')
    write('a.mjs', `export const a = ${tool('afterwards')}`)
    expect((await load(['a.mjs'])).tools[0]?.name).toBe('afterwards')
  })

  it('cannot pose as editor tools', async () => {
    write('a.mjs', `export const a = { ...${tool('a')}, origin: 'editor' }`)
    expect((await load(['a.mjs'])).tools[0]?.origin).toBe('custom')
  })
})

describe('combineTools', () => {
  const make = (name: string, origin: NonNullable<Tool['origin']>, aliases: string[] = []): Tool =>
    defineTool({
      name,
      origin,
      aliases,
      description: origin,
      class: 'read',
      effect: 'read',
      input: anything(''),
      run: async () => ({ content: '' }),
    })

  it('editor over custom over built-in, in any order', () => {
    const lists = [
      [make('Read_File', 'custom')],
      [make('read_file', 'built-in'), make('other', 'built-in')],
      [make('read_file', 'editor')],
    ]
    for (const given of [lists, lists.toReversed()]) {
      const { tools, reports } = combineTools(given)
      expect(tools.map(({ name, origin }) => `${name} ${origin}`).sort()).toEqual([
        'other built-in',
        'read_file editor',
      ])
      expect(reports).toHaveLength(2)
      expect(reports.every(({ code }) => code === 'tool_shadowed')).toBe(true)
    }
  })

  it('keeps and reports the first of two tools from one origin', () => {
    const [first, second] = [make('a', 'custom'), make('a', 'custom')]
    const { tools, reports } = combineTools([[first!], [second!]])
    expect(tools[0]).toBe(first)
    expect(reports[0]?.message).toContain('two custom tools named a')
  })

  it('a name takes precedence over an alias, and a stronger alias over a weaker one', () => {
    const { tools, reports } = combineTools([
      [make('read_file', 'built-in', ['Read', 'view'])],
      [make('Read', 'custom', ['view'])],
    ])
    expect(tools.find(({ name }) => name === 'read_file')?.aliases).toEqual([])
    expect(tools.find(({ name }) => name === 'Read')?.aliases).toEqual(['view'])
    expect(reports).toHaveLength(2)
  })

  it('an editor tool replaces the tool it names as an alias, and gets all its names', () => {
    const { tools, reports } = combineTools([
      [make('read_file', 'built-in', ['Read', 'view']), make('search_files', 'built-in', ['Grep'])],
      [make('my_search', 'custom', ['search_files'])],
      [
        make('ide_read', 'editor', ['read_file']),
        make('ide_index_read', 'editor', ['read_file', 'Read', 'peek']),
      ],
    ])
    expect(Object.fromEntries(tools.map(({ name, aliases }) => [name, aliases]))).toEqual({
      // A custom tool takes no name, and of two editor tools, the first does.
      search_files: ['Grep'],
      my_search: [],
      ide_read: ['read_file', 'Read', 'view'],
      ide_index_read: ['peek'],
    })
    expect(reports[0]).toEqual({
      code: 'tool_shadowed',
      message: 'Cadre uses the editor tool ide_read instead of the built-in tool read_file.',
    })
  })
})
