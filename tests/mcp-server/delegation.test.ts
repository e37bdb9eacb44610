import { expect, test } from 'vitest'
import { createWorld, runIn } from './support/host.ts'

test('delegates work and returns the report of the run', async () => {
  const world = createWorld({ assistant: [{ reply: 'All tests pass.' }] })
  const host = await world.connect()
  const text = await host.call('delegate_work', { work: 'Run the tests' })
  expect(text).toContain('(assistant): completed.')
  expect(text).toContain('All tests pass.')
  const id = runIn(text)
  expect(await host.call('get_result', { run: id })).toContain('All tests pass.')
  expect(await host.call('list_runs')).toContain(
    `- ${id}: completed · assistant · delegated by test-host · Run the tests`,
  )
})

test('another server finds the result later', async () => {
  const world = createWorld({ assistant: [{ reply: 'Done later.' }] })
  const first = await world.connect()
  const id = runIn(await first.call('delegate_work', { work: 'x', wait_seconds: 0 }))
  await first.kill()
  await world.idle()
  const second = await world.connect({ name: 'other-host' })
  expect(await second.call('wait_for_run', { run: id })).toContain('Done later.')
})
