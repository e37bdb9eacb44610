import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createDeniedPaths, createPathResolver } from '@cadre/gate'
import { permissivePolicy } from '@cadre/home'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HiddenFileFilter } from './create-tools.ts'
import { temporaryWorkspace, type Workspace } from './files/workspace.spec-helpers.ts'

let ws: Workspace
let home: string
let hidden: HiddenFileFilter | undefined

const ways = [
  ['with ripgrep', {}],
  ['without ripgrep', { locateRipgrep: async () => undefined }],
] as const

describe.each(ways)('the memory of a home, %s', (_, options) => {
  beforeEach(() => {
    hidden = undefined
    ws = temporaryWorkspace({
      ...options,
      // The home is next to the workspace, so its path is known only afterwards.
      places: {
        judge: (request) => placesOf().judge(request),
        locate: (...given) => placesOf().locate(...given),
        mountsIn: (workspace) => placesOf().mountsIn(workspace),
        protectedIn: (workspace) => placesOf().protectedIn(workspace),
      },
      hiddenIn: (workspace) => hidden?.(workspace),
    })
    home = path.join(ws.outer, 'home')
    mkdirSync(path.join(home, 'memory/private'), { recursive: true })
    writeFileSync(path.join(home, 'memory/system.md'), '# System\n\nDocker Desktop runs on this machine.\n')
    writeFileSync(path.join(home, 'memory/private/keys.md'), 'Docker password\n')
    writeFileSync(path.join(home, 'config.yaml'), 'Docker: config\n')
    ws.write('src/main.ts', 'const docker = true\n')
  })
  afterEach(() => ws[Symbol.dispose]())
  const placesOf = () => createPathResolver({ home })

  const call = async (name: string, input: Record<string, unknown>) => {
    const { content, failed } = await ws.call(name, input)
    return failed ? `FAILED ${content}` : content.replace(/\n\[ripgrep is not installed.*$/, '')
  }

  it('can be read, listed, found and searched by its name, but not written', async () => {
    expect(await call('read_file', { path: 'memory/system.md' })).toContain('Docker Desktop')
    expect(await call('list_directory', { path: 'memory' })).toBe('private/\nsystem.md')
    expect(await call('list_directory', {})).toBe(
      'src/\n[You can also read memory/, the memory of this home directory]',
    )
    expect(await call('find_files', { glob: 'memory/**/*.md' })).toBe(
      'memory/private/keys.md\nmemory/system.md',
    )
    expect(await call('find_files', { glob: '*.md' })).toBe('No file matches *.md.')
    expect(await call('search_files', { query: 'Docker', path: 'memory' })).toBe(
      'memory/private/keys.md:1: Docker password\nmemory/system.md:3: Docker Desktop runs on this machine.',
    )
    expect(await call('search_files', { query: 'Docker', path: 'memory/system.md' })).toBe(
      'memory/system.md:3: Docker Desktop runs on this machine.',
    )
    expect(await call('search_files', { query: 'Desktop' })).toMatch(/^No matches/)
    for (const [name, input] of [
      ['write_file', { path: 'memory/system.md', content: 'x' }],
      ['write_file', { path: 'memory/new.md', content: 'x' }],
      ['create_directory', { path: 'memory' }],
      ['edit_file', { path: 'memory/system.md', old: 'Docker', new: 'Podman' }],
    ] as const)
      expect(await call(name, input)).toMatch(/^FAILED .*memory of this home/)
    expect(await call('read_file', { path: 'memory/../config.yaml' })).toMatch(/^FAILED/)
  })

  it('is part of a ranked search of everything, sorted by score', async () => {
    const found = await call('search_files', { query: 'docker desktop machine', mode: 'ranked' })
    expect(found).toContain('[memory/ is the memory of this home directory, which all workspaces share]')
    expect(found).toContain('1. memory/system.md:1 System')
    expect(found.indexOf('memory/system.md')).toBeLessThan(found.indexOf('src/main.ts:1'))
    expect(found).toContain('3: Docker Desktop runs on this machine.')
    const only = await call('search_files', { query: 'docker', mode: 'ranked', path: 'memory' })
    expect(only).not.toContain('src/main.ts')
    expect(only).not.toContain('config.yaml')
  })

  it('is subject to the policy, under either of its names', async () => {
    for (const pattern of [
      'memory/private/**',
      '**/private/**',
      path.join(home, 'memory/private'),
      'keys.md',
    ]) {
      const paths = { deny: { read: [pattern], write: [] }, ask: { read: [], write: [] } }
      const denied = createDeniedPaths({ policy: { ...permissivePolicy, paths }, places: placesOf() })
      hidden = (workspace) => denied.hiddenIn(workspace)
      for (const mode of ['exact', 'ranked'])
        expect(await call('search_files', { query: 'Docker', path: 'memory', mode })).not.toContain('keys')
      expect(await call('search_files', { query: 'password', mode: 'ranked' })).not.toContain('keys')
      expect(await call('find_files', { glob: 'memory/**' })).not.toContain('keys')
      expect(await call('list_directory', { path: 'memory/private' })).not.toContain('keys')
      const found = denied.find({ path: 'memory/private/keys.md', workspace: ws.root, use: 'read' })
      expect(found).toMatchObject([{ decision: 'deny', match: 'within' }])
    }
  })

  it('follows no link outside', async () => {
    symlinkSync('../config.yaml', path.join(home, 'memory/link.md'))
    symlinkSync('..', path.join(home, 'memory/up'))
    expect(await call('read_file', { path: 'memory/link.md' })).toMatch(/^FAILED/)
    expect(await call('list_directory', { path: 'memory/up' })).toMatch(/^FAILED/)
    for (const mode of ['exact', 'ranked'])
      expect(await call('search_files', { query: 'config', path: 'memory', mode })).toMatch(/^No matches/)
  })
})
