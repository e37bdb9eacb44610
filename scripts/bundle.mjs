// Bundles each library into one file and the command into a few: loading hundreds of small modules would take most of the
// startup time. See docs/decisions/2026-11-16-compiled-code-beside-the-bundle.md.
import { rmSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { bundleLibraries, libraries } from './lib/bundle-libraries.mjs'
import { bundlePage } from './lib/bundle-page.mjs'
import {
  asciiOnly,
  bundledParsers,
  copyAssets,
  findAssets,
  ours,
  requireLazily,
} from './lib/bundle-plugins.mjs'
import { keepCode } from './lib/keep-code.mjs'
import { fromRoot } from './lib/run.mjs'

const dir = fromRoot('packages', 'cli', 'dist', 'bundle')
rmSync(dir, { recursive: true, force: true })
const bundle = await rolldown({
  input: fromRoot('packages', 'cli', 'dist', 'main.js'),
  platform: 'node',
  // Alias to compiled modules: a single-file library could only be put into one chunk as a whole.
  resolve: {
    alias: {
      ...Object.fromEntries(Object.entries(libraries()).map(([name, dist]) => [name, `${dist}/index.js`])),
      ...bundledParsers,
    },
  },
  preserveEntrySignatures: 'allow-extension',
  // Loaded only when needed, from its installation: a package that contains a program.
  external: [/^node:/, '@vscode/ripgrep'],
  checks: { ineffectiveDynamicImport: false },
  // Cadre's modules have no side effects when loaded, so unused ones can be dropped.
  treeshake: { moduleSideEffects: (id) => !ours.test(id) || id.endsWith('main.js') },
  plugins: [requireLazily, findAssets],
})
const { output } = await bundle.generate({ format: 'cjs' })
const groups = groupsOf(output)
await bundle.write({
  dir,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  plugins: [{ name: 'import-modules', renderChunk: importModules }, asciiOnly],
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: groups.map(({ name, modules }) => ({ name, test: (id) => modules.has(id) })),
  },
})
await bundle.close()
// Before the command's files, of which the page is a part.
await bundlePage()
copyAssets(dir)
await bundleLibraries()
await keepCode(dir)

/** Three files for what nearly every start needs, in that order: the help, any command, a run. */
function groupsOf(chunks) {
  const chunkOf = (file) => {
    const chunk = chunks.find(({ moduleIds }) =>
      moduleIds?.includes(fromRoot('packages', 'cli', 'dist', file)),
    )
    if (chunk === undefined) throw new Error(`No part of the command contains dist/${file}.`)
    return chunk
  }
  const grouped = new Set()
  const group = (name, files, lazy = () => false) => {
    const modules = new Set()
    const add = (chunk) => {
      if (chunk === undefined || grouped.has(chunk)) return
      grouped.add(chunk)
      for (const id of chunk.moduleIds) modules.add(id)
      for (const file of chunk.imports) add(named(file))
      for (const file of chunk.dynamicImports) if (lazy(named(file))) add(named(file))
    }
    const named = (file) => chunks.find(({ fileName }) => fileName === file)
    for (const file of files) add(chunkOf(file))
    return { name, modules }
  }
  const isOwn = (chunk) =>
    chunk?.moduleIds.every((id) => ours.test(id) && !/channels|post-hook|telemetry\/dist/.test(id))
  return [
    group('main', ['main.js']),
    group('app', ['hide-keys.js', 'io.js', 'report-failure.js', 'app/run-app.js']),
    group('run', ['commands/run/run.js'], isOwn),
  ]
}

/** Remaining dynamic imports go through the function that bin/load-bundle.js passes. */
function importModules(code) {
  if (!code.includes('import(')) return null
  const places = []
  const visit = (node) => {
    if (node?.type === 'ImportExpression') places.push(node.start)
    for (const value of Object.values(node ?? {})) if (typeof value === 'object') visit(value)
  }
  visit(this.parse(code))
  let text = code
  for (const at of places.sort((a, b) => b - a))
    text = `${text.slice(0, at)}__importModule${text.slice(at + 'import'.length)}`
  return { code: text }
}
