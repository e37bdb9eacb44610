import { cpSync, existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agent, configure, lane, requestsOf } from './support/agents.ts'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode, type VsCodeOptions } from './support/start-vscode.ts'

let code: VsCode
let workbench: Workbench

/** Starts VS Code for the tests of a group. */
const useVsCode = (options: VsCodeOptions) => {
  beforeAll(async () => {
    code = await startVsCode(options)
    workbench = await openWorkbench(code)
    await configure(code, [agent('coordinator', { tools: 'all' })])
  })
  beforeEach(async () => {
    await workbench.chat.startNew()
  })
  afterAll(async () => {
    await workbench?.close()
    await code?.stop()
  })
}

const write = { calls: [{ name: 'write_file', input: { path: 'a.md', content: 'x' } }] }
const read = { calls: [{ name: 'read_file', input: { path: 'notes.md' } }] }
const hooks = JSON.stringify({
  hooks: { PreToolUse: [{ type: 'command', command: 'touch hook-ran' }] },
})
const files = { 'notes.md': '# Notes\n', '.github/hooks/all.json': hooks }
const offered = () => requestsOf(code, 'coordinator').at(-1)?.tools ?? []

describe('a workspace in Restricted Mode', () => {
  useVsCode({ version: 'oldest', trusted: false, workspace: files })

  it('is read-only, none of it is used, and the answer reports it once', async () => {
    expect(await code.host.run((vscode) => vscode.workspace.isTrusted)).toBe(false)
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

describe('a folder with hooks', () => {
  useVsCode({ workspace: files })

  const dialog = () => workbench.page.locator('.monaco-dialog-box')
  const ask = async () => {
    code.model.play(lane('coordinator', { text: 'I only read here.' }))
    await workbench.chat.ask('@agents Hello')
    return workbench.chat.waitForAnswer(/I only read here\./)
  }
  const open = async (query: string) => {
    await workbench.page.goto(`${code.url}/?${query}`)
    await code.host.ready()
  }

  it('is read-only when the person decides later, and is not asked about again', async () => {
    const answered = ask()
    await dialog().waitFor()
    await workbench.page.keyboard.press('Escape')
    const answer = await answered
    expect(answer).toContain('this folder is not trusted')
    expect(answer).toContain('Trust Agents and Hooks in This Folder')
    expect(offered().filter((name) => /write|execute/.test(name))).toEqual([])
    await workbench.chat.startNew()
    await ask()
    expect(existsSync(path.join(code.workspace, 'hook-ran'))).toBe(false)
  })

  it('can be trusted with the command, even after a person declined to trust it', async () => {
    const choose = async (choice: string) => {
      const asked = code.host.command('copilotMultiAgent.trustFolder')
      await dialog().getByRole('button', { name: choice, exact: true }).click()
      await asked
    }
    await choose("Don't Trust")
    await ask()
    expect(offered().filter((name) => /write|execute/.test(name))).toEqual([])
    await choose('Trust')
    await workbench.chat.startNew()
    expect(await ask()).not.toContain('is not trusted')
    expect(offered()).toContain('write_file')
  })

  it('is asked about before any of it is used', async () => {
    const folder = path.join(code.folder, 'another')
    cpSync(path.join(code.workspace, '.github'), path.join(folder, '.github'), { recursive: true })
    cpSync(path.join(code.workspace, 'notes.md'), path.join(folder, 'notes.md'))
    await open(`folder=${encodeURIComponent(folder)}`)
    code.model.play(lane('coordinator', read, { text: 'I read it.' }))
    await workbench.chat.ask('@agents Read the notes')
    await dialog().waitFor()
    expect(await dialog().textContent()).toContain('all.json')
    expect(existsSync(path.join(folder, 'hook-ran'))).toBe(false)
    await workbench.screenshot('trust')
    await dialog().getByRole('button', { name: 'Trust', exact: true }).click()
    await workbench.chat.waitForAnswer(/I read it\./)
    expect(existsSync(path.join(folder, 'hook-ran'))).toBe(true)
  })

  it('is missing in a window without one, and the answer explains what to do', async () => {
    await open('ew=true')
    await workbench.chat.ask('@agents Hello')
    await workbench.chat.waitForAnswer(/Open one with File > Open Folder/)
  })
})
