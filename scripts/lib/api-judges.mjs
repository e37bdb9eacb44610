// Programs by others that judge the HTTP API: its document, its requests and answers, and its speed. Newer versions need a newer
// Node.js than Cadre does.
import { cachedPackages } from './cached-packages.mjs'

const versions = {
  '@stoplight/spectral-cli': '6.16.3',
  '@redocly/cli': '2.73.0',
  '@stoplight/prism-cli': '5.14.2',
  autocannon: '8.0.0',
}

/** Returns the folder with the packages, as npm's prefix. */
export function apiJudges(command) {
  return cachedPackages({
    name: 'api-judges-1',
    packages: Object.entries(versions).map(([name, version]) => `${name}@${version}`),
    size: '160 MB',
    command,
  })
}
