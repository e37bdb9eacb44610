import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askingServer, formQuestion } from '../../packages/mcp/src/asking-server.spec-helpers.ts'
import { agent, configure, lane, requestsOf } from './support/agents.ts'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'
import { until } from './support/until.ts'

let code: VsCode
let workbench: Workbench

beforeAll(async () => {
  code = await startVsCode({ workspace: { 'notes.md': '# Notes\n' } })
  const file = path.join(code.home, 'asker.cjs')
  const branch = { branch: { type: 'string', title: 'Branch' } }
  const place = { to: { type: 'string', enum: ['dev', 'prod'] } }
  writeFileSync(
    file,
    askingServer(formQuestion('Which branch?', branch), formQuestion('Deploy where?', place)),
  )
  mkdirSync(path.join(code.home, '.config', 'cadre'), { recursive: true })
  const server = { command: process.execPath, args: [file], effects: 'read' }
  writeFileSync(
    path.join(code.home, '.config', 'cadre', 'config.yaml'),
    JSON.stringify({ mcp: { servers: { asker: server } } }),
  )
  workbench = await openWorkbench(code)
  await configure(code, [agent('coordinator', { tools: 'all' })])
})
afterAll(async () => {
  await workbench?.close()
  await code?.stop()
})

it('asks the questions of a server in input boxes, one after the other, and gives the server the answers', async () => {
  code.model.play(
    lane('coordinator', { calls: [{ name: 'mcp__asker__add', input: {} }] }, { text: 'Deployed.' }),
    { replies: [{ text: 'A title' }] },
  )
  await workbench.chat.ask('@agents Deploy it.')
  const box = workbench.page.locator('.quick-input-widget').filter({ visible: true })
  const shows = (text: string) =>
    until(text, async () => (await box.allInnerTexts()).join('\n').includes(text))
  await shows('Which branch?')
  expect((await box.allInnerTexts()).join('\n')).toContain(
    'The MCP server asker asks, during a call by coordinator',
  )
  await workbench.page.keyboard.type('main')
  await workbench.page.keyboard.press('Enter')
  await shows('prod')
  await workbench.page.keyboard.type('prod')
  await workbench.page.keyboard.press('Enter')
  await workbench.chat.waitForAnswer(/Deployed\./)
  const told = JSON.stringify(requestsOf(code, 'coordinator').at(-1)?.messages).replaceAll('\\', '')
  expect(told).toContain('{"action":"accept","content":{"branch":"main"}}')
  expect(told).toContain('{"action":"accept","content":{"to":"prod"}}')
})
