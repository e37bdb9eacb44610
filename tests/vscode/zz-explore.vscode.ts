import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessibilityFaults, openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'

let code: VsCode
let workbench: Workbench
beforeAll(async () => {
  code = await startVsCode({
    workspace: { 'notes.md': '# Notes\n', '.github/agents/writer.agent.md': '---\nname: writer\ndescription: Writes\n---\nYou write.\n', '.github/agents/broken.agent.md': '---\nname: broken\nmaxTurns: no\n---\nYou write.\n' },
  })
  workbench = await openWorkbench(code)
})
afterAll(async () => {
  await workbench?.close()
  await code?.stop()
})
it('explores', async () => {
  await code.host.command('copilotMultiAgent.openSettings')
  const page = await workbench.webview('Agent Settings')
  await page.getByRole('heading', { name: 'Agent settings' }).waitFor()
  await workbench.screenshot('x-empty')
  await page.getByRole('button', { name: /Customize/ }).click()
  await page.getByText(/agents were added/).waitFor()
  await page.locator('.prompt').waitFor()
  await workbench.screenshot('x-team')
  console.log(JSON.stringify(await accessibilityFaults(page), null, 1))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  console.log(await code.host.run((vscode) => JSON.stringify(vscode.workspace.getConfiguration('copilotMultiAgent').inspect('agents').workspaceValue).slice(0, 200)))
  await code.host.command('copilotMultiAgent.showStatus')
  await new Promise((r) => setTimeout(r, 3000))
  await workbench.screenshot('x-status')
  console.log(await workbench.notifications())
  console.log(await code.host.run((vscode) => JSON.stringify(vscode.languages.getDiagnostics().map(([u, d]) => [u.path, d.map((x) => x.message)]))))
  console.log(code.output().slice(-3000))
  expect(1).toBe(1)
})
