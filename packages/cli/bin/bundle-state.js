import { readdirSync, statSync } from 'node:fs'

export const bundled = new URL('../dist/bundle/main.cjs', import.meta.url)

/**
 * The bundle contains the code at the time of bundling; in the repository, after a plain `tsc -b`, it is out of date. The command and
 * `npm run build` both ask here, so that the build always repairs what the command reports.
 */
export function isBundleFresh() {
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
