import { serverPackage } from '@cadre/backends'
import { afterEach, expect, it } from 'vitest'
import { type ServerProcess, startServer } from '../../packages/backends/src/copilot-ls/server-process.ts'
import { systemClock } from '../../packages/backends/src/pause.ts'
import { type FakeGitHub, startFakeGitHub } from './support/fake-github.ts'
import { serverCommand } from './support/server-command.ts'

let github: FakeGitHub | undefined
let server: ServerProcess | undefined
afterEach(async () => {
  server?.kill()
  await server?.ended
  await github?.close()
})

it('starts the server, sends requests, and ends it', async () => {
  github = await startFakeGitHub(() => ({ text: 'Hello.' }))
  const started = await startServer({
    command: serverCommand(),
    env: { ...process.env, ...github.env },
    clock: systemClock,
  })
  if (started.kind === 'failed') throw new Error(started.message)
  server = started.server
  expect(server.version).toBe(serverPackage.version)
  expect(await server.request('checkStatus')).toEqual({
    kind: 'answer',
    value: { status: 'OK', user: 'fake-user' },
  })
  expect(await server.request('no/such')).toMatchObject({ kind: 'refused' })
  await server.stop()
  expect(await server.request('checkStatus')).toMatchObject({ kind: 'gone' })
})

it('ends every request when the server is killed', async () => {
  github = await startFakeGitHub(() => new Promise(() => {}))
  const started = await startServer({
    command: serverCommand(),
    env: { ...process.env, ...github.env },
    clock: systemClock,
  })
  if (started.kind === 'failed') throw new Error(started.message)
  server = started.server
  const pending = server.request('conversation/create', {
    workDoneToken: 't',
    turns: [{ request: 'hello' }],
    capabilities: {},
    modelInfo: { id: 'gpt-5' },
  })
  process.kill(server.pid, 'SIGKILL')
  expect(await pending).toEqual({
    kind: 'gone',
    message: 'the Copilot language server was killed by SIGKILL.',
  })
})

it('reports why a server cannot be started', async () => {
  const started = await startServer({
    command: { command: '/nowhere/server', args: [] },
    env: {},
    clock: systemClock,
  })
  expect(started).toMatchObject({ kind: 'failed', message: expect.stringContaining('ENOENT') })
})
