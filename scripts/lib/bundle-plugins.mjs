import { cpSync } from 'node:fs'
import path from 'node:path'
import { fromRoot } from './run.mjs'

/** Compiled modules of this repository. */
export const ours = /[\\/]packages[\\/][^\\/]+[\\/]dist[\\/]/

/** Files that packages read at run time, by package. */
const ownFiles = { agents: ['teams'], gate: ['runner', 'hooks'] }

/** Packages find their own files by package name. A bundle has no such packages, but the files are next to it, in `assets`. */
export const findAssets = {
  name: 'find-assets',
  transform(code, id) {
    const own = /\bcreateRequire\(import\.meta\.url\)\.resolve\(['"]@cadre\/([a-z-]+)\/package\.json['"]\)/g
    if (!ours.test(id) || !own.test(code)) return null
    const found = code.replace(own, "pathOfAsset(new URL('assets/$1/package.json', import.meta.url))")
    return { code: `import { fileURLToPath as pathOfAsset } from 'node:url'\n${found}` }
  },
}

export function copyAssets(folder) {
  for (const [name, files] of Object.entries(ownFiles))
    for (const file of files)
      cpSync(fromRoot('packages', name, file), path.join(folder, 'assets', name, file), { recursive: true })
}

/** Parsers that are loaded on demand become part of the bundle, and still run only on demand. */
export const requireLazily = {
  name: 'require-lazily',
  transform(code, id) {
    const lazy = /\bcreateRequire\(import\.meta\.url\)\((['"](?:yaml|jsonc-parser)['"])\)/g
    return ours.test(id) && lazy.test(code) ? { code: code.replace(lazy, 'require($1)') } : null
  },
}

/** The CommonJS build of jsonc-parser loads its parts in a way that cannot be bundled. */
export const bundledParsers = {
  'jsonc-parser': fromRoot('node_modules', 'jsonc-parser', 'lib', 'esm', 'main.js'),
}
