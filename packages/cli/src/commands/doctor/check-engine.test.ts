import { expect, test } from 'vitest'
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
