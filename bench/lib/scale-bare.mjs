import fs from 'node:fs'
import { createServer } from 'node:http2'
import { loadSdk } from '@cadre/restate'

/** The work of the team, written by hand for Restate: each worker is a call, and each reply and each tool call is a step. */
export async function serveBare({ name, effects }) {
  const sdk = await loadSdk()
  const options = {
    journalRetention: 0,
    inactivityTimeout: { days: 1 },
    retryPolicy: { initialInterval: { milliseconds: 50 }, maxInterval: { seconds: 1 } },
  }
  const reply = (messages) => ({
    content: null,
    calls: [{ id: `c${messages.length}`, name: 'note', arguments: '{"what":"x"}' }],
    usage: { input: 100, output: 20 },
  })
  const worker = sdk.service({
    name: `${name}-worker`,
    handlers: {
      work: sdk.handlers.handler(options, async (ctx, { id, n, calls }) => {
        const messages = [{ role: 'user', content: `work ${n}` }]
        for (let round = 1; round <= calls + 1; round++) {
          messages.push({ role: 'assistant', ...(await ctx.run('model', () => reply(messages))) })
          if (round > calls) break
          const result = await ctx.run('tool', () => {
            fs.appendFileSync(effects, `${id}/${n}/${round}\n`)
            return { content: `did ${round}` }
          })
          messages.push({ role: 'tool', ...result })
        }
        return { report: 'done', calls }
      }),
    },
  })
  const lead = sdk.object({
    name,
    handlers: {
      run: sdk.handlers.object.exclusive(options, async (ctx, { workers, calls }) => {
        await ctx.run('model', () => reply([]))
        const reports = await sdk.RestatePromise.all(
          Array.from({ length: workers }, (_, n) =>
            ctx.serviceClient(worker).work({ id: ctx.key, n, calls }),
          ),
        )
        await ctx.run('model', () => reply(reports))
        return { calls: workers * calls }
      }),
    },
  })
  const handler = sdk.createEndpointHandler({ services: [worker, lead], logger: () => {} })
  const server = createServer({ settings: { maxConcurrentStreams: 10_000 } }, handler)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server.address().port
}
