// Tests run third-party programs in exactly these versions. They are large and not dependencies of Cadre, so one copy
// outside the clone serves all clones of this user.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { withLock } from './lock.mjs'
import { run, say } from './run.mjs'

/** Returns the folder with the packages, as npm's prefix. Installs missing ones. */
export async function cachedPackages({ name, packages, size, command }) {
  const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache')
  const base = path.join(caches, 'cadre-tests')
  const folder = path.join(base, `${name}-${process.platform}-${process.arch}`)
  if (existsSync(folder)) return folder
  mkdirSync(base, { recursive: true })
  return withLock(`${folder}.lock`, async () => {
    if (!existsSync(folder)) await install()
    return folder
  })

  // Installed in a temporary folder and then renamed, so that the final folder is always complete.
  async function install() {
    say(`Installing ${packages.join(' and ')} for the tests, once: about ${size} in ${base}.`)
    const fresh = mkdtempSync(path.join(base, 'installing-'))
    writeFileSync(path.join(fresh, 'package.json'), '{"private":true}\n')
    const npm = process.env.npm_execpath
    const flags = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts']
    const args = ['install', '--prefix', fresh, ...flags, ...packages]
    const title = `Installing ${packages.join(' and ')}`
    const done =
      npm && existsSync(npm) && /\.c?js$/.test(npm)
        ? await run(title, process.execPath, [npm, ...args], { cwd: fresh })
        : await run(title, 'npm', args, { cwd: fresh, shell: process.platform === 'win32' })
    if (!done) {
      rmSync(fresh, { recursive: true, force: true })
      throw new Error(
        `${packages.join(' and ')} could not be installed; the reason is above. \`${command}\` tries again.`,
      )
    }
    renameSync(fresh, folder)
  }
}
