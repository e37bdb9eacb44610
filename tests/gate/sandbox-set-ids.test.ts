import { execFileSync } from 'node:child_process'
import { chmodSync, statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bubblewrap, createWorld, type World, without } from './sandbox-support.ts'

let world: World
beforeEach(() => {
  world = createWorld()
  world.write('tool', '#!/bin/sh\nid -u\n')
})
afterEach(() => world[Symbol.dispose]())

const setIds = (file: string) => statSync(world.at(file)).mode & 0o6000
const unfiltered = bubblewrap.kind === 'none' ? bubblewrap : { ...bubblewrap, filter: undefined }

describe.skipIf(bubblewrap.kind === 'none' || bubblewrap.filter === undefined)('in the sandbox', () => {
  it.each([
    ['chmod with letters', 'chmod u+s tool'],
    ['chmod with numbers', 'chmod 2755 tool'],
    ['both bits', 'chmod 6755 tool'],
    ['install', 'install -m 4755 tool made'],
    ['node', `node -e "require('fs').chmodSync('tool', 0o4755)"`],
    ['a handle', `node -e "const fs = require('fs'); fs.fchmodSync(fs.openSync('tool'), 0o4755)"`],
    ['a new file', `node -e "require('fs').closeSync(require('fs').openSync('made', 'w', 0o4755))"`],
    ['python', `python3 -c "import os; os.open('made', os.O_CREAT | os.O_WRONLY, 0o6755)"`],
    ['a pipe', `python3 -c "import os; os.mknod('made', 0o14755)"`],
  ])('%s cannot set the bits', async (_, command) => {
    const end = await world.run(`umask 0; ${command}`)
    expect(end.code).not.toBe(0)
    expect(setIds('tool')).toBe(0)
    expect(await world.run('find . -perm /6000')).toMatchObject({ code: 0, output: '' })
  })

  it('everything else works as before', async () => {
    const end = await world.run(
      'chmod 755 tool && ./tool >/dev/null && mkdir -m 1777 d && cp -p tool d/ && git status --short >/dev/null && node -e 1 && tar cf t.tar tool && tar xf t.tar && echo fine',
    )
    expect(end).toMatchObject({ code: 0, output: 'fine\n', changes: [] })
  })
})

describe.each([
  ['without a sandbox', without],
  ['in a sandbox without a filter', unfiltered],
] as const)('%s', (name, sandbox) => {
  it.skipIf(name !== 'without a sandbox' && bubblewrap.kind === 'none')(
    'clears the bits afterwards, and keeps existing ones',
    async () => {
      world.write('old', 'x')
      chmodSync(world.at('old'), 0o4755)
      execFileSync('sleep', ['1.1'])
      const end = await world.run('mkdir -p a/b; cp tool a/b/tool; chmod 6755 tool a/b/tool', { sandbox })
      expect(end.changes.map(({ path, undone }) => [path, undone])).toEqual([
        [world.at('tool'), true],
        [world.at('a/b/tool'), true],
      ])
      expect([setIds('tool'), setIds('a/b/tool'), setIds('old')]).toEqual([0, 0, 0o4000])
    },
  )
})
