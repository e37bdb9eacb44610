// Users install these with `cadre login`.
import { readFileSync } from 'node:fs'
import { cachedPackages } from './cached-packages.mjs'
import { fromRoot } from './run.mjs'

const versions = fromRoot('packages', 'backends', 'src', 'copilot-access', 'copilot-versions.json')
export const copilotPackages = Object.entries(JSON.parse(readFileSync(versions, 'utf8'))).map(
  ([name, version]) => `${name}@${version}`,
)

/** Returns the folder with the packages, as npm's prefix. Installs missing ones. */
export function copilotFolder() {
  const name = copilotPackages.map((item) => item.replace(/^.*[/-]/, '').replace('@', '-')).join('-')
  return cachedPackages({
    name: `copilot-${name}`,
    packages: copilotPackages,
    size: '770 MB',
    command: 'npm run test:copilot',
  })
}
