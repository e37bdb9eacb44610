import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createDeniedPaths, createPathResolver } from '@cadre/gate'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { bubblewrap, createWorld, type World, without } from './sandbox-support.ts'

const it = sampled(3)

let world: World
beforeEach(() => {
  world = createWorld()
  world.write('db/schema.sql', 'as it was\n')
  world.write('lib/deep/app.lock', 'as it was\n')
  // No word of the line is the path.
  world.write('w.js', `require('fs').writeFileSync(['db', 'schema.sql'].join('/'), 'changed')`)
})
afterEach(() => world[Symbol.dispose]())

const denying = (...write: string[]) => {
  const places = createPathResolver({ project: world.project })
  const paths = { deny: { read: [], write }, ask: { read: [], write: [] } }
  const denied = createDeniedPaths({ policy: { paths, decidedBy: new Map() }, places, userHome: world.user })
  return { unwritableIn: (workspace: string) => denied.unwritableIn(workspace) }
}
const both = [bubblewrap, without].filter((sandbox, at) => at === 1 || sandbox.kind === 'bubblewrap')

describe.each(both)('a command ($kind)', (sandbox) => {
  it.each([
    ['writes a denied file', 'node w.js', 'db/schema.sql'],
    ['in a denied folder', 'node w.js', 'db'],
    ['that a pattern matches', 'echo x > lib/deep/app.lock', '*.lock'],
    ['deletes it', 'rm -f db/schema.sql', 'db/schema.sql'],
    ['renames it', 'mv db/schema.sql x', 'db/schema.sql'],
    ['renames its folder and creates another', 'mv db x; mkdir db; echo x > db/schema.sql', 'db/schema.sql'],
    ['renames over it', 'echo x > y; mv -f y db/schema.sql', 'db/schema.sql'],
  ])('%s: it does not change', async (_, command, pattern) => {
    const file = pattern === '*.lock' ? 'lib/deep/app.lock' : 'db/schema.sql'
    const end = await world.run(command, { sandbox, ...denying(pattern) })
    expect(world.read(file)).toBe('as it was\n')
    expect(end.code !== 0 || end.changes.length > 0).toBe(true)
    if (sandbox.kind === 'bubblewrap' && command === 'node w.js') expect(end.code).not.toBe(0)
    expect(end.changes.every(({ undone }) => undone)).toBe(true)
  })

  it('creates a denied file: it is removed and reported', async () => {
    const end = await world.run(
      'mkdir -p new/deep; echo x > new/deep/b.lock; echo x > secret.txt; echo x > fine',
      {
        sandbox,
        ...denying('*.lock', 'secret.txt'),
      },
    )
    expect(end.changes.map(({ path }) => path).sort()).toEqual([
      world.at('new/deep/b.lock'),
      world.at('secret.txt'),
    ])
    expect(existsSync(world.at('new/deep/b.lock'))).toBe(false)
    expect(existsSync(world.at('secret.txt'))).toBe(false)
    expect(world.read('fine')).toBe('x\n')
  })

  it('replaces a link with that name: the link stays', async () => {
    symlinkSync('db/schema.sql', world.at('current.lock'))
    await world.run('rm -f current.lock; echo x > current.lock', { sandbox, ...denying('*.lock') })
    expect(readFileSync(world.at('current.lock'), 'utf8')).toBe('as it was\n')
  })

  it('writes it by another name: it does not change', async () => {
    mkdirSync(world.at('other'))
    linkSync(world.at('db/schema.sql'), world.at('other/name'))
    await world.run('echo x > other/name', { sandbox, ...denying('db/schema.sql') })
    expect(world.read('db/schema.sql')).toBe('as it was\n')
  })

  it('writes everything else, and moves folders with files that are denied by name', async () => {
    const end = await world.run('echo x > db/other && mv lib moved && cat moved/deep/app.lock', {
      sandbox: bubblewrap,
      ...denying('db/schema.sql', '*.lock'),
    })
    if (bubblewrap.kind === 'bubblewrap') expect(end.output).toBe('as it was\n')
    expect(world.read('db/other')).toBe('x\n')
  })

  it('may change anything on a copy', async () => {
    const end = await world.run('node w.js && cat db/schema.sql', { sandbox, copy: true, ...denying('db') })
    expect(end).toMatchObject({ code: 0, output: 'changed', changes: [] })
    expect(world.read('db/schema.sql')).toBe('as it was\n')
  })
})
