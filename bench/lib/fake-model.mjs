import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../server/fake-model.mjs', import.meta.url))

/** Starts the fake model in a separate process. */
export async function startFakeModel() {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const [server] = await once(createInterface(child.stdout), 'line')
  return {
    server,
    reset: (settings) => resetFakeModel(server, settings),
    stats: () => readStats(server),
    stop: () => child.kill(),
  }
}

/** The counters of the fake model since the last reset. `firstRequestAt` is on the clock of clock.mjs. */
export async function readStats(server) {
  const response = await fetch(`${server}/stats`)
  return response.json()
}

async function resetFakeModel(server, settings) {
  await fetch(`${server}/reset?${new URLSearchParams(settings)}`, { method: 'POST' })
}
