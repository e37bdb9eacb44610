import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../peers/', import.meta.url))

/** Installs the libraries of bench/peers on first use. Returns a message for the reader if they are not available. */
export function installPeers(say) {
  if (fs.existsSync(`${folder}/node_modules/.package-lock.json`)) return undefined
  say('installing the peers (npm ci in bench/peers, once)')
  const { status, stderr, error } = npm(['ci', '--loglevel=error'])
  if (status === 0) return undefined
  const reason = error?.message ?? stderr.trim().split('\n').slice(0, 4).join('; ')
  return `skipped: the peers, because they could not be installed: ${reason}`
}

/** Under `npm run`, the running npm, which need not be on PATH. */
function npm(args) {
  const self = process.env.npm_execpath
  const [command, ...first] = self ? [process.execPath, self] : ['npm']
  return spawnSync(command, [...first, ...args], { cwd: folder, encoding: 'utf8' })
}
