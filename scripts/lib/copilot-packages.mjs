// The tests run against exactly these versions of the Copilot packages. They are not dependencies of Cadre: users
// install them with `cadre login`. They are large, so one copy outside the clone serves every clone of this user.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { withLock } from './lock.mjs'
import { fromRoot, run, say } from './run.mjs'

const versions = fromRoot('packages', 'backends', 'src', 'copilot-access', 'copilot-versions.json')
export const copilotPackages = Object.entries(JSON.parse(readFileSync(versions, 'utf8'))).map(
  ([name, version]) => `${name}@${version}`,
)

/** The folder in which the packages are installed, as npm's prefix. Installs them when they are not there. */
export async function copilotFolder() {
  const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache')
  const base = path.join(caches, 'cadre-tests')
  const name = `copilot-${copilotPackages.map((item) => item.replace(/^.*[/-]/, '').replace('@', '-')).join('-')}-${process.platform}-${process.arch}`
  const folder = path.join(base, name)
  if (existsSync(folder)) return folder
  mkdirSync(base, { recursive: true })
  return withLock(path.join(base, `${name}.lock`), async () => {
    if (!existsSync(folder)) await install(base, folder)
    return folder
  })
}

// Installed beside its place and then renamed, so that a folder with the right name is always complete.
async function install(base, folder) {
  say(`Installing ${copilotPackages.join(' and ')} for the Copilot tests, once: about 770 MB in ${base}.`)
  const fresh = mkdtempSync(path.join(base, 'installing-'))
  writeFileSync(path.join(fresh, 'package.json'), '{"private":true}\n')
  const npm = process.env.npm_execpath
  const args = [
    'install',
    '--prefix',
    fresh,
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--ignore-scripts',
    ...copilotPackages,
  ]
  const options = { cwd: fresh }
  const done =
    npm && existsSync(npm) && /\.c?js$/.test(npm)
      ? await run('Installing Copilot for the tests', process.execPath, [npm, ...args], options)
      : await run('Installing Copilot for the tests', 'npm', args, {
          ...options,
          shell: process.platform === 'win32',
        })
  if (!done) {
    rmSync(fresh, { recursive: true, force: true })
    throw new Error(
      'The packages of Copilot could not be installed; the reason is above. `npm run test:copilot` tries again.',
    )
  }
  renameSync(fresh, folder)
}
