import { expect, it, onTestFinished } from 'vitest'
import { writeServer } from '../copilot-ls/fake-server.spec-helpers.ts'
import { createModels } from '../create-models.ts'
import { readModels } from './catalogue.ts'
import { withServer } from './with-server.ts'

/** A program that lists these models like the language server. */
function serverWith(models: readonly object[]): string {
  return writeServer(`c.onRequest('initialize', () => ({ serverInfo: { version: 'x' } }))
c.onRequest('copilot/models', () => ${JSON.stringify(models)})
c.onRequest('shutdown', () => null)
c.listen()
`)
}

it('lists the models that runs can use, with their window', async () => {
  const limits = { maxContextWindowTokens: 100_000, maxInputTokens: 60_000, maxOutputTokens: 10_000 }
  const server = serverWith([
    { id: 'completion', scopes: ['completion'] },
    { id: 'off', modelPolicy: { state: 'disabled' } },
    { scopes: ['chat-panel'] },
    { id: 'anywhere', capabilities: { limits } },
    { id: 'usual', scopes: ['chat-panel'], isChatDefault: true, billing: { multiplier: 2 } },
  ])
  const listed = await withServer({ env: {}, configured: server }, readModels, new AbortController().signal)
  expect(listed).toEqual({
    kind: 'done',
    value: [
      { id: 'anywhere', window: 66_000, maxOutput: 10_000, isDefault: false },
      { id: 'usual', multiplier: 2, isDefault: true },
    ],
  })
  const models = createModels({ env: {}, cwd: '/', config: { copilot: { server } } })
  onTestFinished(() => models.close?.())
  expect(await models.resolve('copilot-ls:anywhere')).toMatchObject({
    kind: 'found',
    model: { window: 66_000, maxOutput: 10_000 },
  })
  expect(await models.resolve('copilot-ls:off')).toMatchObject({ kind: 'unknown' })
})
