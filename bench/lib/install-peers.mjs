import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../peers/', import.meta.url))

/** Installs the libraries of bench/peers the first time. Returns what to tell the reader when they cannot be had. */
export function installPeers(say) {
  if (fs.existsSync(`${folder}/node_modules/.package-lock.json`)) return undefined
  say('installing the peers (npm ci in bench/peers, once)')
  const { status, stderr, error } = npm(['ci', '--loglevel=error'])
  if (status === 0) return undefined
  const reason = error?.message ?? stderr.trim().split('\n').slice(0, 4).join('; ')
  return `skipped: the peers, because they could not be installed: ${reason}`
}

/** Under `npm run` the npm that is running, which need not be on the path. */
function npm(args) {
  const self = process.env.npm_execpath
  const [command, ...first] = self ? [process.execPath, self] : ['npm']
  return spawnSync(command, [...first, ...args], { cwd: folder, encoding: 'utf8' })
}
