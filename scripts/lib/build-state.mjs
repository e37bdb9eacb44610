import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fromRoot } from './run.mjs'

const stamp = fromRoot('node_modules', '.cadre-build')

/** Returns false if the sources are identical to those of the last successful build and its output exists. */
export function buildNeeded() {
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint()) return true
  if (!existsSync(fromRoot('packages', 'cli', 'dist', 'bundle', 'main.cjs'))) return true
  return packageFolders().some((folder) => !existsSync(path.join(folder, 'dist', 'index.js')))
}

export function rememberBuild() {
  writeFileSync(stamp, fingerprint())
}

function fingerprint() {
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
    .filter((name) => /\.(ts|tsx|css)$/.test(name) && !/\.test\.ts$/.test(name))
    .map((name) => path.join('src', name))
  return [...beside, ...sources].sort().map((name) => path.join(folder, name))
}

function packageFolders() {
  return readdirSync(fromRoot('packages'))
    .sort()
    .map((name) => fromRoot('packages', name))
    .filter((folder) => existsSync(path.join(folder, 'tsconfig.json')))
}
