import { readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { isObject } from '@cadre/core'

/** Resolves a module to its file: a path, or a package installed in a folder or its parents. Runs no code. */
export function resolveModule(name: string, base: string): string | undefined {
  const isPath = /^\.{0,2}[\\/]/.test(name) || path.isAbsolute(name) || /\.[cm]?[jt]s$/.test(name)
  const found = isPath ? path.resolve(base, name) : (byRequire(name, base) ?? byManifest(name, base))
  try {
    return found !== undefined && statSync(found).isFile() ? realpathSync(found) : undefined
  } catch {
    return undefined
  }
}

function byRequire(name: string, base: string): string | undefined {
  try {
    const found = createRequire(path.join(base, 'config.yaml')).resolve(name)
    return path.isAbsolute(found) ? found : undefined
  } catch {
    return undefined
  }
}

/** Resolves a package that only supports `import`. */
function byManifest(name: string, base: string): string | undefined {
  for (let folder = path.resolve(base); ; folder = path.dirname(folder)) {
    const root = path.join(folder, 'node_modules', name)
    try {
      const manifest: unknown = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
      const entry = isObject(manifest) ? entryOf(manifest['exports']) : undefined
      if (entry !== undefined) return path.join(root, entry)
    } catch {
      // Not in this folder.
    }
    if (path.dirname(folder) === folder) return undefined
  }
}

function entryOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports
  if (!isObject(exports)) return undefined
  return entryOf(exports['.'] ?? exports['import'] ?? exports['node'] ?? exports['default'])
}
