import { readFileSync } from 'node:fs'
import { fromRoot } from './run.mjs'

/** npm writes its hidden lockfile last, so an interrupted install is detected. */
export function installNeeded() {
  const installed = packagesOf(fromRoot('node_modules', '.package-lock.json'))
  if (installed === undefined) return true
  const wanted = packagesOf(fromRoot('package-lock.json')) ?? {}
  return Object.entries(wanted).some(([name, entry]) => name !== '' && !satisfied(entry, installed[name]))
}

function satisfied(wanted, installed) {
  // An optional package of another platform is locked but never installed.
  if (installed === undefined) return wanted.optional === true || wanted.peer === true
  if (wanted.link) return installed.link === true
  return wanted.version === installed.version && wanted.integrity === installed.integrity
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}
