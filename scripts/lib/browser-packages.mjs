// What the page's tests need besides Cadre: a browser, the library that drives it, and a judge of accessibility.
import { cachedPackages } from './cached-packages.mjs'
import { installDebianPackages } from './debian-packages.mjs'

const versions = { 'playwright-core': '1.65.0', 'axe-core': '4.14.0' }

/** Returns the folder with the packages, as npm's prefix. Installs Chromium where it is missing and that is possible. */
export async function browserPackages() {
  if (process.platform !== 'linux') throw new Error("The page's tests run on Linux only.")
  await installDebianPackages({ packages: ['chromium', 'fonts-dejavu-core'], purpose: "The page's tests" })
  return cachedPackages({
    name: 'web-1',
    packages: Object.entries(versions).map(([name, version]) => `${name}@${version}`),
    size: '20 MB',
    command: 'npm run test:web',
  })
}
