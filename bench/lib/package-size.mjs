import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const tarball = fileURLToPath(new URL('../../packages/cli/dist/cadre.tgz', import.meta.url))

/** The size of the packed command in MB, or `undefined` before `node scripts/pack-command.mjs`. */
export function packageSize() {
  const stats = statSync(tarball, { throwIfNoEntry: false })
  return stats && stats.size / 1024 ** 2
}
