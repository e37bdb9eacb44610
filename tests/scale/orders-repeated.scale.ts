import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRestateKeeper } from '@cadre/restate'
import { call, say } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { hangingLook } from './support/hanging-look.ts'
import { ingress, newPlace, restAfter, startScaleWorker, until } from './support/scale-worker.ts'

/** A proxy for the server that passes everything on, but loses the answer to the first order. */
async function losingProxy(): Promise<string> {
  const target = new URL(ingress())
  let isLost = false
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    const passed = ask({ host: target.hostname, port: target.port, method, headers, path: url }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (bytes: Buffer) => chunks.push(bytes))
      answer.on('end', () => {
        if (url?.endsWith('/send') && !isLost) {
          isLost = true
          incoming.socket.destroy()
          return
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        outgoing.end(Buffer.concat(chunks))
      })
    })
    passed.on('error', () => incoming.socket.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a resume is repeated because its answer was lost: a cancel that follows it stays', async () => {
  const place = newPlace()
  const { tools, count } = hangingLook()
  const { keeper } = await startScaleWorker({
    place,
    agents: [{ name: 'lead' }],
    tools,
    lanes: { lead: [call(['look', { path: 'a' }]), say('end')] },
  })
  const cancelled = { kind: 'report', report: { status: 'cancelled' } }
  const first = restAfter(keeper, () =>
    keeper.start({ agent: 'lead', work: 'do it', workspace: '/work', id: 'tree-1' }),
  )
  await until(() => count() === 1)
  await keeper.cancel('tree-1', 'not needed')
  expect(await first).toMatchObject(cancelled)

  const other = createRestateKeeper({ ingress: await losingProxy(), place })
  onTestFinished(() => other.close())
  await expect(other.resume('tree-1', {})).rejects.toMatchObject({ code: 'backend' })
  await until(() => count() === 2)
  await other.resume('tree-1', {})
  expect(await restAfter(keeper, () => keeper.cancel('tree-1', 'not needed'))).toMatchObject(cancelled)
  // Orders are carried out one after the other, and this one has no effect.
  const question = { session: 'tree-1', name: 'nothing' }
  const last = await restAfter(keeper, () => keeper.answer(question, { decision: 'approve', by: 'anna' }))
  expect(last).toMatchObject(cancelled)
  expect(count()).toBe(2)
  // Another resume is another order.
  await other.resume('tree-1', {})
  await until(() => count() === 3)

  // As a daemon that was killed before it knew that the server has the order.
  const order = ['tree-1', {}, 'resume-1'] as const
  expect(await restAfter(keeper, () => keeper.cancel('tree-1', 'not needed'))).toMatchObject(cancelled)
  await other.resume(...order)
  await until(() => count() === 4)
  expect(await restAfter(keeper, () => keeper.cancel('tree-1', 'not needed'))).toMatchObject(cancelled)
  await keeper.resume(...order)
  await restAfter(keeper, () => keeper.answer(question, { decision: 'approve', by: 'anna' }))
  expect(count()).toBe(4)
})
