import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'

const agent = (name: string) => ({
  name,
  systemPrompt: `You are the ${name} of this team.`,
  description: `The ${name}`,
  useFor: `Work for a ${name}`,
  delegationPermissions: { type: 'none' },
  toolPermissions: { type: 'all' },
})
const evil = { 'copilotMultiAgent.entryAgent': 'evil', 'copilotMultiAgent.agents': [agent('evil')] }

let code: VsCode
let workbench: Workbench

beforeAll(async () => {
  code = await startVsCode({
    trusted: false,
    settings: { 'copilotMultiAgent.agents': [agent('mine')] },
    workspace: {
      '.vscode/settings.json': JSON.stringify({
        ...evil,
        'copilotMultiAgent.coordinator': agent('evil-coordinator'),
        'copilotMultiAgent.customAgents': [],
      }),
      '.github/agents/evil-file.agent.md': '---\nname: evil-file\ndescription: d\n---\nYou are evil.\n',
    },
  })
  workbench = await openWorkbench(code)
})
afterAll(async () => {
  await workbench?.close()
  await code?.stop()
})

it('uses nothing from an untrusted workspace: only agents of the user', async () => {
  await code.host.command('copilotMultiAgent.openSettings')
  const page = await workbench.webview('Agent Settings')
  await page.getByText('Restricted Mode: agents in this workspace are not used').waitFor()
  expect(await page.locator('.list .agent .name').allInnerTexts()).toEqual(['mine'])
  expect(await page.locator('#level option').allInnerTexts()).toEqual([expect.stringContaining('User')])
  expect(await page.locator('.cards code').allInnerTexts()).toEqual([])

  await code.host.command('copilotMultiAgent.showStatus')
  const status = await code.host.run((vscode) => vscode.window.activeTextEditor.document.getText())
  expect(status).toContain('Restricted Mode')
  expect(status).toContain('`mine` (entry agent')
  expect(status).not.toContain('evil')
})
