/**
 * The control of the kill suite: the same kind of work, written by hand for Restate, with each tool call in a step of its own. A step that
 * was running when its process died runs again, so some effects happen twice. It proves that the suite can fail.
 */
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { loadSdk } from '@cadre/restate'
import type { Context, ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk'

export interface ControlOptions {
  readonly name: string
  readonly port: number
  readonly effects: string
  readonly latency: number
}

export interface ControlWork {
  readonly workers: number
  readonly calls: number
}

export async function serveControl({ name, port, effects, latency }: ControlOptions): Promise<number> {
  const sdk = await loadSdk()
  const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * latency))
  const options = {
    journalRetention: 0,
    inactivityTimeout: { days: 1 },
    retryPolicy: { initialInterval: { milliseconds: 50 }, maxInterval: { seconds: 1 } },
  }
  const worker = sdk.service({
    name: `${name}-worker`,
    handlers: {
      work: sdk.handlers.handler(
        options,
        async (ctx: Context, { id, calls }: { id: string; calls: number }): Promise<void> => {
          for (let round = 1; round <= calls; round++) {
            await ctx.run('model', pause)
            await ctx.run('tool', async () => {
              appendFileSync(effects, `note ${id}/${round} ${id}\n`)
              await pause()
            })
          }
        },
      ),
    },
  })
  const lead = sdk.object({
    name,
    handlers: {
      run: sdk.handlers.object.exclusive(
        options,
        async (ctx: ObjectContext, { workers, calls }: ControlWork): Promise<void> => {
          const ids = Array.from({ length: workers }, (_, n) => `${ctx.key}/${n}`)
          await sdk.RestatePromise.all(ids.map((id) => ctx.serviceClient(worker).work({ id, calls })))
          ctx.set('isDone', true)
        },
      ),
      isDone: sdk.handlers.object.shared(options, (ctx: ObjectSharedContext) => ctx.get<boolean>('isDone')),
    },
  })
  const handler = sdk.createEndpointHandler({ services: [worker, lead], logger: () => {} })
  const server = createServer({ settings: { maxConcurrentStreams: 10_000 } }, handler as never)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
