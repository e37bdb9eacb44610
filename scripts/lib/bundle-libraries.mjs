import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { asciiOnly } from './bundle-plugins.mjs'
import { fromRoot } from './run.mjs'

/** The folders of the packages that others import, by name. Excludes the command. */
export function libraries() {
  const folders = readdirSync(fromRoot('packages')).filter(
    (name) =>
      !['cli', 'vscode', 'settings-page', 'web'].includes(name) &&
      existsSync(fromRoot('packages', name, 'dist', 'index.js')),
  )
  return Object.fromEntries(folders.map((name) => [`@cadre/${name}`, fromRoot('packages', name, 'dist')]))
}

/** Bundles each library into one file, `dist/lib/index.js`, that imports all other packages: a process has one copy of each. */
export async function bundleLibraries() {
  await Promise.all(Object.values(libraries()).map(bundleLibrary))
}

async function bundleLibrary(folder) {
  const dir = path.join(folder, 'lib')
  rmSync(dir, { recursive: true, force: true })
  const bundle = await rolldown({
    input: path.join(folder, 'index.js'),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
    checks: { ineffectiveDynamicImport: false },
    treeshake: { moduleSideEffects: false },
  })
  await bundle.write({ dir, format: 'esm', chunkFileNames: '[name].js', plugins: [asciiOnly] })
  await bundle.close()
}
