// Tries each part of the extension once, in the oldest supported version. The other files test them in detail, in the
// newest.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agent, configure, delegate, lane, report, requestsOf } from './support/agents.ts'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'

describe('in the oldest VS Code', () => {
  let code: VsCode
  let workbench: Workbench

  beforeAll(async () => {
    code = await startVsCode({ version: 'oldest', workspace: { 'notes.md': '# Notes\n' } })
    workbench = await openWorkbench(code)
    await configure(code, [
      agent('coordinator', { delegates: 'all' }),
      agent('reader'),
      agent('writer', { tools: ['edit'] }),
    ])
  })
  afterAll(async () => {
    await workbench?.close()
    await code?.stop()
  })
  beforeEach(async () => {
    await workbench.chat.startNew()
  })

  const row = (text: string | RegExp) =>
    workbench.page.locator('.pane-body .monaco-list-row').filter({ hasText: text, visible: true }).first()

  it('activates, and has its commands', async () => {
    const state = await code.host.run(async (vscode) => {
      const extension = vscode.extensions.getExtension('cadre.copilot-multi-agent')
      await extension.activate()
      const commands: string[] = await vscode.commands.getCommands(true)
      return {
        version: vscode.version as string,
        isActive: extension.isActive as boolean,
        declared: extension.packageJSON.contributes.commands
          .map(({ command }: { command: string }) => command)
          .filter((command: string) => !commands.includes(command)),
      }
    })
    expect(state).toEqual({ version: expect.stringMatching(/^1\.105\./), isActive: true, declared: [] })
  })

  it('answers as the participant @agents', async () => {
    code.model.play(lane('coordinator', { text: 'I answer in the oldest version too.' }))
    await workbench.chat.ask('@agents Hello')
    await workbench.chat.waitForAnswer(/I answer in the oldest version too\./)
    expect(requestsOf(code, 'coordinator').at(-1)?.tools).toContain('delegateWork')
  })

  it('delegates to two agents at once', async () => {
    code.model.play(
      lane('coordinator', delegate('reader', 'reader'), { text: 'Both have reported.' }),
      lane('reader', report('I have read it.')),
    )
    await workbench.chat.ask('@agents Read it twice')
    const answer = await workbench.chat.waitForAnswer(/Both have reported\./)
    expect(answer).toContain('✓ reader I have read it.')
    expect(answer).toContain('✓ reader 2 I have read it.')
  })

  it('continues when the person clicks Approve, and shows the approval and the session in the views', async () => {
    const write = { calls: [{ name: 'write_file', input: { path: 'a.md', content: 'Written.\n' } }] }
    code.model.play(
      lane('coordinator', delegate('writer'), { text: 'It was written.' }),
      lane('writer', write, report('I wrote it.')),
    )
    await workbench.chat.ask('@agents Write it')
    await workbench.page.locator('.interactive-response').last().getByText('wants to use').first().waitFor()
    await code.host.command('copilotMultiAgent.showApprovals')
    await row('Write a.md').waitFor()
    await code.host.command('copilotMultiAgent.sessions.focus')
    await row('coordinator').waitFor()
    expect(existsSync(path.join(code.workspace, 'a.md'))).toBe(false)
    await workbench.clickButton(/^Approve$/)
    await workbench.chat.waitForAnswer(/It was written\./)
    expect(existsSync(path.join(code.workspace, 'a.md'))).toBe(true)
  })

  it('shows tasks, and the settings page with the agents', async () => {
    await code.host.command('copilotMultiAgent.tasks.focus')
    await code.host.command('copilotMultiAgent.openSettings')
    const page = await workbench.webview('Agent Settings')
    await page.locator('.list .agent').filter({ hasText: 'coordinator' }).first().click()
    expect(await page.locator('#name').inputValue()).toBe('coordinator')
  })
})
