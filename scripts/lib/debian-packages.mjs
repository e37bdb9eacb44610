import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { run, say } from './run.mjs'

/** Installs missing packages with apt, where that is possible. Throws if a browser would be missing. */
export async function installDebianPackages({ packages, purpose }) {
  const missing = packages.filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  const advice = `${purpose} need ${missing.join(', ')}: run \`apt-get install ${missing.join(' ')}\`.`
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    if (existsSync('/usr/bin/chromium')) return say(`${advice} Continuing, because chromium is there.`)
    throw new Error(advice)
  }
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 2],
  }
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...missing]
  const title = `Installing ${missing.join(', ')}`
  if (await run(title, 'apt-get', install, options)) return
  await run('Updating the package lists', 'apt-get', ['update', '-qq'], options)
  if (!(await run(title, 'apt-get', install, options)))
    throw new Error(`${advice} It failed; the reason is above.`)
}

function isInstalled(name) {
  const asked = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' })
  return asked.stdout?.includes('Status: install ok installed') ?? false
}
