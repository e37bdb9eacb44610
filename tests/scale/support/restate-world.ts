import type { Engine } from '@cadre/core'
import { listenForTrees, loadSdk, placeNames, RestateEngine, registerWorker, type Sdk } from '@cadre/restate'
import { createFakeClock } from '@cadre/testing'
import type { World } from '../../engine/worlds.ts'

/** The engines of this process, by the scope of their world. */
const engines = new Map<string, RestateEngine>()
const place = `test-${process.pid}`
let endpoint: Promise<Endpoint> | undefined
let count = 0

interface Endpoint {
  readonly sdk: Sdk
  readonly ingress: string
}

/** The server of the test run, with one endpoint for all worlds of this process. */
async function openEndpoint(): Promise<Endpoint> {
  const ingress = process.env['CADRE_TEST_RESTATE_INGRESS'] as string
  const admin = process.env['CADRE_TEST_RESTATE_ADMIN'] as string
  const sdk = await loadSdk()
  const { port } = await listenForTrees({
    sdk,
    names: placeNames(place),
    engineOf: (key) => engines.get(key.slice(0, key.indexOf('.') + 1)),
    host: '127.0.0.1',
    port: 0,
    fresh: 60_000,
    report: () => {},
  })
  await registerWorker({ admin, url: `http://127.0.0.1:${port}`, place })
  return { sdk, ingress }
}

async function killInvocations(scope: string): Promise<void> {
  const admin = process.env['CADRE_TEST_RESTATE_ADMIN'] as string
  const query = `select id from sys_invocation where target_service_name = 'cadre-${place}' and target_service_key like '${scope}%' and status <> 'completed'`
  const response = await fetch(`${admin}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { rows } = (await response.json()) as { rows: { id: string }[] }
  await Promise.all(rows.map(({ id }) => fetch(`${admin}/invocations/${id}/kill`, { method: 'PATCH' })))
}

/** The engine on Restate. Its orchestrators run in the test, so it borrows the logs of their trees. */
export function restateWorld(): World {
  const clock = createFakeClock()
  const scope = `w${++count}.`
  /** Trees whose invocation may not have ended. They return to the next engine by themselves. */
  let requested: readonly string[] = []
  let engine: RestateEngine | undefined
  let lives = 0
  /** Resolves when a lost tree has returned. */
  let returning: Promise<unknown> = Promise.resolve()
  /** A tree that another process runs is not in the archive, so a test reads it when it has returned. */
  const portOf = (own: RestateEngine): Engine => ({
    attach: (runner) => own.attach(runner),
    open: (spec) => own.open(spec),
    read: (id) => returning.then(() => own.read(id)),
    charged: (root) => own.charged(root),
  })
  const create = async (identity: { pid: number; host?: string }) => {
    endpoint ??= openEndpoint()
    const { sdk, ingress } = await endpoint
    return new RestateEngine({ sdk, clock, ingress, place, scope, identity })
  }
  const close = async () => {
    if (engine === undefined) return
    // What a process has recorded survives its end, unless it is killed in this very moment.
    for (const root of engine.roots())
      await engine
        .logOf(root)
        ?.safe()
        .catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    // An invocation that is about to end does not return to the next engine.
    for (const root of engine.roots()) if (engine.logOf(root)?.isClosed) await engine.lent.next(root)
    await engine.settled()
    requested = [...new Set([...requested, ...engine.lent.requested])]
    engines.delete(scope)
    engine.close()
    engine = undefined
  }
  return {
    name: 'restate',
    clock,
    async open() {
      if (engine !== undefined) return portOf(engine)
      // An id that no process has: earlier engines are processes that have ended.
      const next = await create({ pid: 2 ** 22 + ++lives })
      engine = next
      const returned = requested.map((root) => next.lent.next(root))
      for (const root of requested) next.lent.requested.add(root)
      requested = []
      engines.set(scope, next)
      await Promise.all(returned)
      return portOf(next)
    },
    async answer({ session, name }, answer) {
      await engine?.answer(session, name, answer)
    },
    async lose(root) {
      const own = engine
      if (own === undefined) return
      // Steps return before they are safe.
      await own.logOf(root)?.safe()
      own.logOf(root)?.die()
      engines.delete(scope)
      returning = (async () => {
        const other = await create({ pid: 1, host: 'elsewhere' })
        other.lent.requested.add(root)
        engines.set(scope, other)
        const life = await other.lent.next(root)
        await life?.log.safe()
        engines.set(scope, own)
        const returned = own.lent.next(root)
        other.close()
        await returned
      })()
    },
    close,
    async dispose() {
      await close()
      // Otherwise the server offers the trees to the next worlds forever.
      if (endpoint !== undefined && requested.length > 0) await killInvocations(scope)
    },
  }
}
