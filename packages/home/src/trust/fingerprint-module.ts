import { createHash } from 'node:crypto'
import path from 'node:path'
import { moduleFiles } from './module-files.ts'

/**
 * Returns one hash for a module or script and all local files that it runs, at any depth. Trust ends when any of them changes, appears or
 * disappears. Returns `undefined` if the module is unreadable, too large or imports too much.
 */
export function fingerprintModule(module: string): string | undefined {
  const files = moduleFiles(module)
  const [start] = files ?? []
  if (files === undefined || start === undefined) return undefined
  const base = path.dirname(start.path)
  const hash = createHash('sha256')
  for (const { path: file, sha256 = 'missing' } of files)
    hash.update(`${path.relative(base, file)}\0${sha256}\0`)
  return hash.digest('hex')
}
