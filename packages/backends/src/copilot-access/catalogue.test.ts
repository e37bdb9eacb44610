import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createModels } from '../create-models.ts'
import { readModels } from './catalogue.ts'
import { withServer } from './with-server.ts'

/** A program that lists these models as the language server does. */
function serverWith(models: readonly object[]): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-catalogue-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const program = path.join(folder, 'server.cjs')
  const library = createRequire(import.meta.url).resolve('vscode-jsonrpc/node')
  writeFileSync(
    program,
    `const rpc = require(${JSON.stringify(library)})
const { stdin, stdout } = process
const c = rpc.createMessageConnection(new rpc.StreamMessageReader(stdin), new rpc.StreamMessageWriter(stdout))
c.onRequest('initialize', () => ({ serverInfo: { version: 'x' } }))
c.onRequest('copilot/models', () => ${JSON.stringify(models)})
c.onRequest('shutdown', () => null)
c.onNotification('exit', () => process.exit(0))
c.listen()
`,
  )
  return program
}

it('lists the models that runs can use, with the window that they have there', async () => {
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
