import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'

const mostFiles = 500
const specifier =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\bnew\s+URL\s*\(\s*)(['"`])(\.{0,2}\/[^'"`\n]+)\1/g

/**
 * One number for a module and everything it imports from files beside it, however deep: trust in a module ends when any of
 * them changes, appears or goes. Packages are not followed. `undefined` when the module cannot be read or imports too much.
 */
export function fingerprintModule(module: string): string | undefined {
  const hash = createHash('sha256')
  const seen = new Set<string>()
  const start = fileAt(module)
  if (start === undefined) return undefined
  const base = path.dirname(start)
  const waiting = [start]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const file = fileAt(next)
    if (seen.has(file ?? next)) continue
    seen.add(file ?? next)
    if (seen.size > mostFiles) return undefined
    if (file === undefined) {
      hash.update(`${path.relative(base, next)}\0missing\0`)
      continue
    }
    const bytes = readFileSync(file)
    hash.update(`${path.relative(base, file)}\0${bytes.length}\0`).update(bytes)
    for (const match of bytes.toString('utf8').matchAll(specifier))
      waiting.push(path.resolve(path.dirname(file), match[2] as string))
  }
  return hash.digest('hex')
}

/** The file a specifier means: older modules leave out its ending. */
function fileAt(named: string): string | undefined {
  for (const ending of ['', '.js', '.cjs', '.mjs', '.json', '/index.js']) {
    const stats = statSync(named + ending, { throwIfNoEntry: false })
    if (stats?.isFile()) return realpathSync(named + ending)
  }
  return undefined
}
