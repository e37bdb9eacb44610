import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { libraries } from './bundle-libraries.mjs'
import { fromRoot } from './run.mjs'

const source = fromRoot('packages', 'vscode')
const ours = /[\\/]packages[\\/][^\\/]+[\\/]dist[\\/]/

/** The folder of the extension as it is packaged and installed. */
export const extensionFolder = path.join(source, 'dist', 'extension')

/** Puts the extension into a folder of its own: few files, nothing to install. What activation does not need is in other files. */
export async function bundleExtension() {
  rmSync(extensionFolder, { recursive: true, force: true })
  mkdirSync(extensionFolder, { recursive: true })
  await bundleHost()
  await bundlePage()
  copyAssets()
  writeManifest()
}

async function bundleHost() {
  const bundle = await rolldown({
    input: { extension: path.join(source, 'dist', 'index.js') },
    platform: 'node',
    resolve: {
      alias: {
        ...Object.fromEntries(Object.entries(libraries()).map(([name, dist]) => [name, `${dist}/index.js`])),
        // Its CommonJS build loads its parts in a way that cannot be bundled.
        'jsonc-parser': fromRoot('node_modules', 'jsonc-parser', 'lib', 'esm', 'main.js'),
      },
    },
    external: ['vscode', /^node:/, '@vscode/ripgrep'],
    checks: { ineffectiveDynamicImport: false },
    treeshake: { moduleSideEffects: (id) => !ours.test(id) },
    plugins: [{ name: 'require-lazily', transform: requireLazily }],
  })
  await bundle.write({
    dir: path.join(extensionFolder, 'out'),
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  })
  await bundle.close()
}

/** Parsers that sources load when they are needed become part of the bundle, and are still run only when they are needed. */
function requireLazily(code, id) {
  const lazy = /\bcreateRequire\(import\.meta\.url\)\((['"](?:yaml|jsonc-parser)['"])\)/g
  return ours.test(id) && lazy.test(code) ? { code: code.replace(lazy, 'require($1)') } : null
}

async function bundlePage() {
  const bundle = await rolldown({
    input: { 'settings-page': fromRoot('packages', 'settings-page', 'dist', 'main.js') },
    platform: 'browser',
  })
  await bundle.write({ dir: path.join(extensionFolder, 'out'), format: 'iife', minify: true })
  await bundle.close()
  const style = fromRoot('packages', 'settings-page', 'src', 'page.css')
  cpSync(style, path.join(extensionFolder, 'out', 'settings-page.css'))
}

/** Files that packages read at run time lie where Node looks for these packages. */
function copyAssets() {
  const packageFiles = { agents: ['package.json', 'teams'], gate: ['package.json', 'runner', 'hooks'] }
  for (const [name, files] of Object.entries(packageFiles))
    for (const file of files)
      cpSync(
        fromRoot('packages', name, file),
        path.join(extensionFolder, 'out', 'node_modules', '@cadre', name, file),
        { recursive: true },
      )
  cpSync(path.join(source, 'media'), path.join(extensionFolder, 'media'), { recursive: true })
  for (const file of ['README.md']) cpSync(path.join(source, file), path.join(extensionFolder, file))
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(fromRoot(file), path.join(extensionFolder, file))
}

/** What only the repository needs is left out. */
function writeManifest() {
  const {
    dependencies: _,
    exports: __,
    type: ___,
    private: ____,
    ...manifest
  } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'))
  writeFileSync(path.join(extensionFolder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
