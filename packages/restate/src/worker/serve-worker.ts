import { RestateEngine } from '../engine/restate-engine.ts'
import { loadSdk } from '../load-sdk.ts'
import { listenForTrees } from './listen-for-trees.ts'
import type { Worker, WorkerOptions } from './worker-options.ts'

/** Starts a worker, which runs the trees that the server gives to it. Register its address with `registerWorker`. */
export async function serveWorker(options: WorkerOptions): Promise<Worker> {
  const { parts, ingress, place, host = '127.0.0.1', port, identityKeys, headers, limits } = options
  const { clock, project, onTree, onLife, report = () => {} } = parts
  const sdk = await loadSdk()
  const engine = new RestateEngine({
    sdk,
    clock,
    ingress,
    place,
    report,
    ...(headers && { headers }),
    ...(limits && { limits }),
    ...(project && { project }),
    ...(onTree && { onTree }),
    ...(onLife && { onLife }),
  })
  engine.orders = {
    orchestrator: parts.createOrchestrator(engine),
    endSession: parts.endSession,
  }
  const listener = await listenForTrees({
    sdk,
    names: engine.names,
    engineOf: () => engine,
    host,
    port,
    ...(identityKeys && { identityKeys }),
    fresh: engine.limits.fresh,
    report,
  })
  let isDrained = false
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
    port: listener.port,
    trees: () => engine.roots(),
    specs: (root) => [...(engine.logOf(root)?.loaded() ?? [])].map(([, { spec }]) => spec),
    observe: (event) => engine.liveEvents.take(event),
    async drain() {
      await engine.drain()
      isDrained = true
    },
    async close() {
      if (isDrained) await listener.drain()
      engine.close()
      await listener.close()
    },
  }
}
