import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isBundleFresh } from '../../packages/cli/bin/bundle-state.js'
import { fromRoot } from './run.mjs'

const stamp = fromRoot('node_modules', '.cadre-build')

/**
 * Returns false if the sources are identical to those of the last successful build, its output exists, and the command accepts its
 * bundle. It does not after a `tsc -b` elsewhere, such as in `npm run check`.
 */
export function buildNeeded() {
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint()) return true
  if (!isBundleFresh()) return true
  if (!existsSync(fromRoot('packages', 'web', 'dist', 'page', 'files.json'))) return true
  return packageFolders().some(
    (folder) =>
      existsSync(path.join(folder, 'src', 'index.ts')) && !existsSync(path.join(folder, 'dist', 'index.js')),
  )
}

/** `sources`: the fingerprint from before the build, because a source can change during it. */
export function rememberBuild(sources) {
  writeFileSync(stamp, sources)
}

/** The compiler keeps the output of deleted sources, and code that still loads it would fail only in a new clone. */
export function removeStaleOutput() {
  for (const folder of packageFolders())
    for (const name of readdirSync(path.join(folder, 'dist'), { recursive: true })) {
      // Only the compiler writes maps.
      if (!name.endsWith('.js.map')) continue
      const module = name.slice(0, -'.js.map'.length)
      if (['.ts', '.tsx'].some((ending) => existsSync(path.join(folder, 'src', `${module}${ending}`))))
        continue
      for (const ending of ['.js', '.js.map', '.d.ts'])
        rmSync(path.join(folder, 'dist', `${module}${ending}`), { force: true })
    }
}

export function fingerprint() {
  const hash = createHash('sha256')
  for (const file of inputs()) hash.update(file).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

function inputs() {
  const shared = ['tsconfig.json', 'tsconfig.base.json', 'package-lock.json'].map((file) => fromRoot(file))
  return [...shared, ...packageFolders().flatMap(sourcesOf)]
}

function sourcesOf(folder) {
  const beside = readdirSync(folder).filter((name) => /\.(json|ts)$/.test(name))
  const sources = readdirSync(path.join(folder, 'src'), { recursive: true })
    .filter((name) => /\.(ts|tsx|css|html|svg)$/.test(name) && !/\.test\.ts$/.test(name))
    .map((name) => path.join('src', name))
  return [...beside, ...sources].sort().map((name) => path.join(folder, name))
}

function packageFolders() {
  return readdirSync(fromRoot('packages'))
    .sort()
    .map((name) => fromRoot('packages', name))
    .filter((folder) => existsSync(path.join(folder, 'tsconfig.json')))
}
