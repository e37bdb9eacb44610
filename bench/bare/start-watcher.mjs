import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { settleMs } from '../lib/home-work.mjs'

const file = fileURLToPath(new URL('watcher.mjs', import.meta.url))

/** A minimal daemon, for lib/home-work.mjs. It writes nothing, so it is done when it has sent the request. */
export function startWatcher({ home }, { base }) {
  const child = spawn(process.execPath, [file, home, base, String(settleMs)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, ready: once(child.stdout, 'data'), isDone: () => true }
}
