import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { checkEngine, checkWorkers } from './check-engine.ts'

const card = {
  url: 'http://127.0.0.1:9080',
  host: 'c',
  pid: 1,
  version: '1',
  workspace: '/w',
  digest: { agents: 'a', policy: 'p', hooks: 'h', tools: 't' },
  renewed: 0,
}

test('reports workers with different parts, and a place without workers', () => {
  const other = { ...card, pid: 2, digest: { ...card.digest, agents: 'b', policy: 'q' } }
  expect(checkWorkers([card, { ...card, pid: 2 }], 'x')).toMatchObject([{ status: 'ok' }])
  expect(checkWorkers([card, other], 'x')).toMatchObject([
    { status: 'warn', message: expect.stringContaining('differ in: agents, policy') },
  ])
  expect(checkWorkers([], 'x')).toMatchObject([{ status: 'fail', fix: 'Start one with "cadre worker".' }])
})

test('reports a server that does not answer', async () => {
  const settings = { config: { engine: { kind: 'restate', place: 'x', ingress: 'http://127.0.0.1:9' } } }
  expect(await checkEngine(settings as never, 1000)).toMatchObject([
    { status: 'fail', message: expect.stringContaining('the Restate server at http://127.0.0.1:9') },
  ])
  expect(await checkEngine(undefined, 1000)).toEqual([])
})

test('reports sessions whose worker does not answer, with the reason', async () => {
  const refused = "[500 Internal] error when calling 'http://10.0.0.3:9080/': Connection refused"
  const rows = ['planner-1', 'planner-2'].map((tree) => ({ target_service_key: tree, last_failure: refused }))
  const server = createServer((request, response) => {
    let sql = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      sql += text
    })
    request.on('end', () => {
      response.end(JSON.stringify({ rows: sql.includes('backing-off') ? rows : [] }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = { config: { engine: { kind: 'restate', place: 'x', ingress: address, admin: address } } }
  expect(await checkEngine(settings as never, 60_000)).toMatchObject([
    { status: 'ok' },
    {
      status: 'fail',
      message:
        "planner-1 and 1 other session cannot continue: error when calling 'http://10.0.0.3:9080/': Connection refused",
    },
    { status: 'fail', message: expect.stringContaining('no worker is running') },
  ])
})
