// One process of the suite `scale`: an engine that runs trees for the runner. It ends with its parent.
import fs from 'node:fs'
import { systemClock } from '@cadre/disk'
import { openHome } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import { createRestateKeeper, serveWorker } from '@cadre/restate'
import { endStoredSession } from '@cadre/runtime'
import { serveBare } from './scale-bare.mjs'
import { createScaleTeam, requestOf } from './scale-team.mjs'

const { engine, ingress, place, effects, home, waitMs } = JSON.parse(process.argv[2])
process.on('disconnect', () => process.exit())
const prefix = `${process.pid}-${Date.now().toString(36)}`
const { url, start } = await { files, tree, bare }[engine]()
process.send({ kind: 'ready', url })
process.on('message', (message) => void answer(message))

async function answer({ kind, plans }) {
  if (kind === 'usage') {
    globalThis.gc?.()
    const { rss, heapUsed } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    return process.send({ kind, rssMb: rss / 1e6, heapMb: heapUsed / 1e6, cpuMs: (user + system) / 1000 })
  }
  globalThis.gc?.()
  const before = process.cpuUsage()
  const began = performance.now()
  await Promise.all(plans.map(start))
  const wall = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  process.send({ kind: 'done', wall, cpuMs: (user + system) / 1000 })
}

async function files() {
  fs.mkdirSync(home, { recursive: true })
  const own = await createFileEngine({ home: openHome({ home, cwd: home, env: {} }), clock: systemClock })
  const orchestrator = createScaleTeam({ engine: own, effects, prefix })
  return {
    async start(plan) {
      const { kind, report } = await orchestrator.start(
        { ...requestOf(plan), id: plan.id },
        new AbortController().signal,
      )
      if (kind !== 'report' || report.status !== 'completed') throw new Error(`${kind} ${report?.status}`)
    },
  }
}

/** Orders go through the server, as from a daemon. The end of a tree is seen here, so that nobody has to poll. */
async function tree() {
  const ends = new Map()
  const worker = await serveWorker({
    ingress,
    place,
    port: 0,
    parts: {
      createOrchestrator: (own) => createScaleTeam({ engine: own, effects, prefix, waitMs }),
      endSession: endStoredSession,
      clock: systemClock,
      onTree(root, isRunning) {
        if (isRunning) return
        ends.get(root)?.()
        process.send({ kind: 'ended', root })
      },
    },
  })
  const keeper = createRestateKeeper({ ingress, place })
  return {
    url: worker.url,
    async start(plan) {
      const ended = new Promise((resolve) => ends.set(plan.id, resolve))
      await keeper.start({ ...requestOf(plan), id: plan.id })
      await ended
    },
  }
}

async function bare() {
  const port = await serveBare({ name: place, effects })
  return {
    url: `http://127.0.0.1:${port}`,
    async start({ id, workers, calls }) {
      const response = await fetch(`${ingress}/${place}/${id}/run`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ workers, calls }),
      })
      if (!response.ok) throw new Error(await response.text())
      await response.text()
    },
  }
}
