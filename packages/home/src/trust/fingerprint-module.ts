import { createHash } from 'node:crypto'
import path from 'node:path'
import { moduleFiles } from './module-files.ts'

/**
 * One number for a module or script and everything it runs from files beside it, however deep: trust in it ends when any of
 * them changes, appears or goes. `undefined` when it cannot be read, is huge or imports too much.
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
