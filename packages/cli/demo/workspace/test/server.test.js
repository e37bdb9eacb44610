import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { startServer } from '../src/server.js'

test('says hello', async () => {
  const server = startServer(0)
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${server.address().port}/`)
  assert.equal(await response.text(), 'hello\n')
  server.close()
})
