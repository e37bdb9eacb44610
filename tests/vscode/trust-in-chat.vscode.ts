import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { agent, configure, lane, requestsOf } from './support/agents.ts'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode, type VsCodeOptions } from './support/start-vscode.ts'

let code: VsCode
let workbench: Workbench

const start = async (options: VsCodeOptions) => {
  code = await startVsCode(options)
  workbench = await openWorkbench(code)
  await configure(code, [agent('coordinator', { tools: 'all' })])
}
afterEach(async () => {
  await workbench?.close()
  await code?.stop()
})

const write = { calls: [{ name: 'write_file', input: { path: 'a.md', content: 'x' } }] }
const hooks = JSON.stringify({
  hooks: { PreToolUse: [{ type: 'command', command: 'touch hook-ran' }] },
})
const files = { 'notes.md': '# Notes\n', '.github/hooks/all.json': hooks }
const offered = () => requestsOf(code, 'coordinator').at(-1)?.tools ?? []

describe('a workspace in Restricted Mode', () => {
  it('is only read, nothing of it is used, and the answer says so once', async () => {
    await start({ version: 'oldest', trusted: false, workspace: files })
    code.model.play(lane('coordinator', write, { text: 'I may only read.' }))
    await workbench.chat.ask('@agents Write something')
    const answer = await workbench.chat.waitForAnswer(/I may only read\./)
    expect(answer).toContain('This workspace is in Restricted Mode')
    expect(offered()).toContain('read_file')
    expect(offered().filter((name) => /write|edit|execute|probe/.test(name))).toEqual([])
    expect(readdirSync(code.workspace).sort()).toEqual(['.github', 'notes.md'])
    code.model.play(lane('coordinator', { text: 'Hello.' }))
    await workbench.chat.startNew()
    await workbench.chat.ask('@agents Hello')
    expect(await workbench.chat.waitForAnswer(/Hello\./)).not.toContain('Restricted Mode')
  })
})

describe('a folder that brings hooks', () => {
  it('is asked about before anything of it is used', async () => {
    await start({ workspace: files })
    code.model.play(
      lane(
        'coordinator',
        { calls: [{ name: 'read_file', input: { path: 'notes.md' } }] },
        { text: 'I read it.' },
      ),
    )
    await workbench.chat.ask('@agents Read the notes')
    const dialog = workbench.page.locator('.monaco-dialog-box')
    await dialog.waitFor()
    expect(await dialog.textContent()).toContain('all.json')
    await workbench.screenshot('trust')
    await dialog.getByRole('button', { name: 'Trust', exact: true }).click()
    await workbench.chat.waitForAnswer(/I read it\./)
    expect(existsSync(path.join(code.workspace, 'hook-ran'))).toBe(true)
  })

  it('is only read when the person decides later, and is not asked about again', async () => {
    await start({ workspace: files })
    code.model.play(lane('coordinator', { text: 'I only read here.' }))
    await workbench.chat.ask('@agents Hello')
    const dialog = workbench.page.locator('.monaco-dialog-box')
    await dialog.waitFor()
    await workbench.page.keyboard.press('Escape')
    const answer = await workbench.chat.waitForAnswer(/I only read here\./)
    expect(answer).toContain('this folder is not trusted')
    expect(answer).toContain('Trust Agents and Hooks of This Folder')
    expect(offered().filter((name) => /write|execute/.test(name))).toEqual([])
    await workbench.chat.startNew()
    await workbench.chat.ask('@agents Hello')
    await workbench.chat.waitForAnswer(/I only read here\./)
    expect(existsSync(path.join(code.workspace, 'hook-ran'))).toBe(false)
  })
})

describe('a folder that a person declined to trust', () => {
  it('can be trusted later with the command', async () => {
    await start({ workspace: files })
    code.model.play(lane('coordinator', { text: 'I only read here.' }))
    await workbench.chat.ask('@agents Hello')
    const dialog = workbench.page.locator('.monaco-dialog-box')
    await dialog.getByRole('button', { name: "Don't Trust" }).click()
    await workbench.chat.waitForAnswer(/I only read here\./)
    expect(offered().filter((name) => /write|execute/.test(name))).toEqual([])
    const asked = code.host.command('copilotMultiAgent.trustFolder')
    await dialog.getByRole('button', { name: 'Trust', exact: true }).click()
    await asked
    await workbench.chat.startNew()
    await workbench.chat.ask('@agents Hello')
    const answer = await workbench.chat.waitForAnswer(/I only read here\./)
    expect(answer).not.toContain('is not trusted')
    expect(offered()).toContain('write_file')
  })
})

describe('a window without a folder', () => {
  it('says what to do', async () => {
    await start({ workspace: {} })
    await workbench.page.goto(`${code.url}/?ew=true`)
    await code.host.ready()
    await workbench.chat.ask('@agents Hello')
    await workbench.chat.waitForAnswer(/Open one with File > Open Folder/)
  })
})
