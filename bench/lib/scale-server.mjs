import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { restateServer } from '../../scripts/lib/restate-server.mjs'
import { costOf, rssMb } from './process-cost.mjs'

/** Starts the Restate server that `npm run test:scale` uses, on loopback only. */
export async function startScaleServer(folder) {
  // Built only when the benchmark has started.
  const { freePort } = await import('@cadre/testing')
  const { restateConfig } = await import('../../packages/cli/dist/commands/engine/restate-config.js')
  const [ingressPort, adminPort, nodePort] = [await freePort(), await freePort(), await freePort()]
  const config = path.join(folder, 'restate.toml')
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(config, restateConfig({ folder, ingressPort, adminPort, nodePort }))
  const log = fs.openSync(path.join(folder, 'server.log'), 'a')
  const child = spawn(await restateServer(), ['--config-file', config, '--no-logo'], {
    stdio: ['ignore', log, log],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const ingress = `http://127.0.0.1:${ingressPort}`
  const admin = `http://127.0.0.1:${adminPort}`
  const isUp = (url) =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!((await isUp(`${ingress}/restate/health`)) && (await isUp(`${admin}/health`)))) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${folder}/server.log`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    ingress,
    admin,
    cpuMs: () => costOf(child.pid),
    rssMb: () => rssMb(child.pid),
    dataMb: () => sizeOf(path.join(folder, 'data')) / 1e6,
    async register(uri) {
      const response = await fetch(`${admin}/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ uri, force: true }),
      })
      if (!response.ok) throw new Error(await response.text())
    },
    /** How many invocations run or wait: sessions that run, and messages that are not delivered yet. */
    async openInvocations() {
      const response = await fetch(`${admin}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({
          query: "select count(*) as open from sys_invocation where status <> 'completed'",
        }),
      })
      if (!response.ok) throw new Error(await response.text())
      return (await response.json()).rows[0].open
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve)
        child.kill('SIGKILL')
      }),
  }
}

/** The space that the files of a folder take on disk: the server allocates its log in advance. */
function sizeOf(folder) {
  let bytes = 0
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    // The server removes old files at any time.
    const stat = fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })
    bytes += (stat?.blocks ?? 0) * 512
  }
  return bytes
}
