import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { WorkerCard } from '../engine/worker-card.ts'
import { checkEngine, checkSignatures, checkWorkers } from './check-engine.ts'

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
  const code = (toolCode?: string) => ({ ...card, digest: { ...card.digest, toolCode } }) as WorkerCard
  expect(checkWorkers([code('1'), code('2')], 'x')).toMatchObject([
    { status: 'warn', message: expect.stringContaining('differ in: code of custom tools') },
  ])
  // A worker of an older version does not publish it.
  expect(checkWorkers([code('1'), code()], 'x')).toMatchObject([{ status: 'ok' }])
  expect(checkWorkers([], 'x')).toMatchObject([
    {
      status: 'fail',
      fix: expect.stringMatching(/^Start one with "cadre worker"\. If one is running, restart it/),
    },
  ])
})

test('warns about workers that others can reach, and a server elsewhere, without keys', () => {
  const here = { ingress: 'http://127.0.0.1:8080', admin: 'http://localhost:9070', identityKeys: [] }
  const away = { ...here, ingress: 'https://10.0.0.1:8443' }
  const keys = { identityKeys: ['publickeyv1_x'] }
  const open = { ...card, url: 'https://10.0.0.3:9443', checksSignatures: false }
  expect(checkSignatures(here, [{ ...card, checksSignatures: false }])).toEqual([])
  expect(checkSignatures(away, [{ ...open, checksSignatures: true }])).toMatchObject([
    { status: 'warn', message: expect.stringContaining('on another machine (https://10.0.0.1:8443)') },
  ])
  expect(checkSignatures({ ...away, ...keys }, [{ ...open, checksSignatures: true }])).toEqual([])
  // This machine has the keys, but the worker was started without them.
  expect(checkSignatures({ ...here, ...keys }, [open])).toMatchObject([
    {
      status: 'warn',
      message: expect.stringContaining('c/1 (https://10.0.0.3:9443) can be reached from other machines'),
      fix: expect.stringContaining('Set engine.identityKeys'),
    },
  ])
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
  const rows = ['planner-1', 'planner-2'].map((tree) => ({
    target_service_name: 'cadre-x',
    target_service_key: tree,
    target_handler_name: 'run',
    last_failure: refused,
  }))
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
        "session planner-1 and session planner-2 cannot continue: error when calling 'http://10.0.0.3:9080/': Connection refused",
    },
    { status: 'fail', message: expect.stringContaining('no worker is running') },
  ])
})
