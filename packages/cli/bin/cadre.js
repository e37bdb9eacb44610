#!/usr/bin/env node
// Committed, not built: npm does not link a bin whose file is missing at install time.
import { readdirSync, statSync } from 'node:fs'
import { loadBundle } from './load-bundle.js'

const bundled = new URL('../dist/bundle/main.cjs', import.meta.url)
if (isFresh()) loadBundle(new URL('.', bundled))
else {
  process.stderr.write('The cadre bundle is missing or out of date. Run `npm run build`.\n')
  process.exitCode = 2
}

/** The bundle contains the code at the time of bundling; in the repository, after a plain `tsc -b`, it is out of date. */
function isFresh() {
  const made = modified(bundled)
  if (made === 0) return false
  if (modified(new URL('../tsconfig.json', import.meta.url)) === 0) return true
  const packages = new URL('../../', import.meta.url)
  return readdirSync(packages).every(
    (name) => modified(new URL(`${name}/dist/.tsbuildinfo`, packages)) <= made,
  )
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
