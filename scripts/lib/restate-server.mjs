// The Restate server of `npm run test:scale`, in exactly the version that the tests know.
import path from 'node:path'
import { cachedPackages } from './cached-packages.mjs'

const version = '1.7.12'

/** Returns the server's program. Only the package of this platform is installed: the common one reports its installation. */
export async function restateServer() {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`
  const folder = await cachedPackages({
    name: `restate-${version}`,
    packages: [`${name}@${version}`],
    size: '230 MB',
    command: 'npm run test:scale',
  })
  return path.join(folder, 'node_modules', ...name.split('/'), 'bin', 'restate-server')
}
