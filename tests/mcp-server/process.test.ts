import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { bin } from '../cli/support/cadre.ts'
import { createWorld, runIn, type World } from './support/host.ts'
import { streamTransport } from './support/stream-transport.ts'

/** The built command, as a host starts it. */
async function startServer(world: World, args: readonly string[] = []) {
  const { env, cwd } = world.environment
  const child = spawn(process.execPath, [bin, 'mcp', ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(async () => {
    child.kill('SIGKILL')
  })
  const client = new Client({ name: 'killed-host', version: '1' })
  await client.connect(streamTransport(child.stdout, child.stdin))
  return { child, client }
}

test('a run survives the kill of the server in the middle, and another server gets the result', async () => {
  const world = createWorld({ assistant: [{ wait: 1500, reply: 'It survived.' }] })
  const { child, client } = await startServer(world)
  const { content } = await client.callTool({
    name: 'delegate_work',
    arguments: { work: 'x', wait_seconds: 0 },
  })
  const text = (content as { text: string }[])[0]?.text ?? ''
  child.kill('SIGKILL')
  await once(child, 'exit')
  const host = await world.connect({ name: 'other' })
  expect(await host.call('wait_for_run', { run: runIn(text) })).toContain('It survived.')
  // It was not started again.
  expect(world.launched).toEqual([])
})

test('the server ends when its host closes standard input', async () => {
  const world = createWorld({ assistant: [] })
  const { child } = await startServer(world)
  child.stdin.end()
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(0)
})

test('serves over HTTP with a token in a file that only its owner can read', async () => {
  const world = createWorld({ assistant: [] })
  const { env, cwd } = world.environment
  const args = ['mcp', '--http', '--token-file', 'token.txt']
  const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stderr.setEncoding('utf8'), 'data')) as [string]
  const file = world.at('project/token.txt')
  expect(line).toBe(`MCP server at ${/http:\S+mcp/.exec(line)?.[0]}, the token is in ${file}\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(0)
  expect(existsSync(file)).toBe(false)
})
