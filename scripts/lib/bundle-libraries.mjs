import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { fromRoot } from './run.mjs'

/** Folders of the packages that others import, by their names. The command is not among them. */
export function libraries() {
  const folders = readdirSync(fromRoot('packages')).filter(
    (name) =>
      !['cli', 'vscode', 'settings-page'].includes(name) &&
      existsSync(fromRoot('packages', name, 'dist', 'index.js')),
  )
  return Object.fromEntries(folders.map((name) => [`@cadre/${name}`, fromRoot('packages', name, 'dist')]))
}

/** Puts each library into one file, `dist/lib/index.js`, that imports all other packages: there is one copy of each in a process. */
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
  await bundle.write({ dir, format: 'esm', chunkFileNames: '[name].js' })
  await bundle.close()
}
