import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { faultsOfManifest, faultsOfSource, findClashingNames, type Manifest } from './support/boundaries.ts'

const packages = path.join(import.meta.dirname, '..', 'packages')

describe.each(readdirSync(packages).filter(hasManifest))('package %s', (name) => {
  const folder = path.join(packages, name)
  const manifest: Manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))

  it('depends only on packages below it', () => {
    expect(faultsOfManifest(name, manifest)).toEqual([])
  })

  it('imports only permitted packages', () => {
    const faults = sourcesOf(folder).flatMap((file) =>
      faultsOfSource(name, manifest, file, readFileSync(path.join(folder, file), 'utf8')),
    )
    expect(faults).toEqual([])
  })
})

describe('the backend adapters', () => {
  const adapters = ['acp', 'anthropic', 'copilot-ls', 'copilot-sdk', 'openai', 'responses', 'scripted']

  it.each(adapters)('%s imports no other adapter', (adapter) => {
    const others = adapters.filter((other) => other !== adapter).join('|')
    const folder = path.join(packages, 'backends')
    const sources = sourcesOf(folder).filter((file) => file.startsWith(`src/${adapter}/`))
    expect(sources).not.toEqual([])
    const importsAnother = new RegExp(`(?:from|import\\() ?'\\.\\./(?:${others})/`)
    expect(
      sources.filter((file) => importsAnother.test(readFileSync(path.join(folder, file), 'utf8'))),
    ).toEqual([])
  })
})

describe('the names of source files', () => {
  it('are unique', () => {
    const files = readdirSync(packages)
      .filter(hasManifest)
      .flatMap((name) => sourcesOf(path.join(packages, name)).map((file) => `packages/${name}/${file}`))
    expect(files.length).toBeGreaterThan(1000)
    expect(findClashingNames(files)).toEqual([])
  })

  it('are compared across packages and folders', () => {
    const files = ['a/src/index.ts', 'b/src/index.ts', 'a/src/x/pause.ts', 'b/src/pause.ts', 'b/src/wait.ts']
    expect(findClashingNames(files)).toEqual([
      'pause.ts: rename all but one of a/src/x/pause.ts, b/src/pause.ts',
    ])
    expect(findClashingNames(['a/src/pause.test.ts', 'b/src/pause.test.ts'])).toEqual([])
  })
})

describe('the checker', () => {
  const manifest: Manifest = { version: '1.0.0', dependencies: { '@cadre/core': '1.0.0', yaml: '2.0.0' } }
  const faults = (name: string, text: string, file = 'src/sample.ts') =>
    faultsOfSource(name, manifest, file, text)

  it.each([
    ['core', `import { readFileSync } from 'node:fs'`],
    ['core', `import 'fs'`],
    ['core', `import { parse } from 'yaml'`],
    ['core', 'const fs = await import(`node:fs`)'],
    ['core', `const fs = await import('node:' + name)`],
    ['core', `let stats: import('node:fs').Stats`],
    ['core', `import { fold } from '@cadre/core'`],
    ['home', `import type { Tool } from '@cadre/tools'`],
    ['backends', `const tools = await import('@cadre/tools')`],
    ['tools', `export { ask } from '@cadre/backends'`],
    ['tools', `import { readAgent } from '../../agents/src/read-agent.ts'`],
    ['home', `import { z } from 'zod'`],
    ['home', `import fs = require('zod')`],
    ['home', `const zod = require('zod')`],
    ['home', `import { scripted } from '@cadre/testing'`],
    ['home', `export * from './agent.ts'`],
    ['home', `export { agent } from './agent.ts'`],
    ['home', 'export default 1'],
    ['home', 'const a = 1; export { a as default }'],
  ])('finds the fault in %s: %s', (name, text) => {
    expect(faults(name, text)).not.toEqual([])
  })

  it.each([
    ['core', `import { fold } from './fold.ts'`, 'src/sample.ts'],
    ['core', `export { fold } from './fold.ts'`, 'src/index.ts'],
    ['core', `import { it } from 'vitest'; import 'node:fs'; import '@cadre/testing'`, 'src/fold.test.ts'],
    ['core', `// import 'node:fs'\nexport const text = "import 'node:fs'"`, 'src/sample.ts'],
    [
      'home',
      `import { readFile } from 'node:fs/promises'; import { parse } from 'yaml'`,
      'src/deep/sample.ts',
    ],
    ['home', `import { fold } from '@cadre/core'; import { a } from '../a.ts'`, 'src/deep/sample.ts'],
  ])('accepts in %s: %s', (name, text, file) => {
    expect(faults(name, text, file)).toEqual([])
  })

  it('finds faults in declared dependencies', () => {
    const declares = (dependencies: Record<string, string>) => ({ version: '1.0.0', dependencies })
    expect(faultsOfManifest('core', declares({ yaml: '2.0.0' }))).toHaveLength(1)
    expect(faultsOfManifest('home', declares({ '@cadre/cli': '1.0.0' }))).toHaveLength(1)
    expect(faultsOfManifest('home', declares({ '@cadre/core': '0.9.0' }))).toHaveLength(1)
    expect(faultsOfManifest('home', declares({ yaml: '^2.0.0' }))).toHaveLength(1)
    expect(faultsOfManifest('attic', declares({}))).toHaveLength(1)
  })
})

function hasManifest(name: string): boolean {
  return existsSync(path.join(packages, name, 'package.json'))
}

function sourcesOf(folder: string): string[] {
  return readdirSync(path.join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => path.posix.join('src', name.split(path.sep).join('/')))
}
