import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'
import { until } from './support/until.ts'

const cadre = path.join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'cadre.js')
const bin = mkdtempSync(path.join(os.tmpdir(), 'cadre-bin-'))
const calls = path.join(bin, 'calls')
let code: VsCode
let workbench: Workbench

beforeAll(async () => {
  writeFileSync(calls, '')
  const command = path.join(bin, 'cadre')
  writeFileSync(command, `#!/bin/sh\necho "$@" >> '${calls}'\nexec '${process.execPath}' '${cadre}' "$@"\n`)
  chmodSync(command, 0o755)
  code = await startVsCode({
    copilot: true,
    workspace: { 'notes.md': '# Notes\n' },
    // Otherwise VS Code takes the PATH from the user's shell.
    environment: { VSCODE_CLI: '1', PATH: `${bin}${path.delimiter}${process.env['PATH']}` },
  })
  workbench = await openWorkbench(code)
  await workbench.enableCopilot()
})
afterAll(async () => {
  await workbench?.close()
  await code?.stop()
  rmSync(bin, { recursive: true, force: true })
})

const toolNames = () =>
  code.host.run((vscode) =>
    vscode.lm.tools.map(({ name }: { name: string }) => name).filter((name: string) => /cadre/i.test(name)),
  ) as Promise<string[]>

it('offers "cadre mcp" to agent mode, starts it for the open folder, and lists its tools', async () => {
  await until('the tools of Cadre', async () => {
    // The definitions arrive some time after the start of the window.
    await code.host.command('workbench.mcp.startServer', '*', { waitForLiveTools: true })
    return (await toolNames()).includes('mcp_cadre_delegate_work')
  })
  const names = await toolNames()
  for (const tool of ['delegate_work', 'wait_for_run', 'list_runs', 'get_result', 'list_agents'])
    expect(names).toContain(`mcp_cadre_${tool}`)
  expect(readFileSync(calls, 'utf8')).toContain(`mcp --workspace ${code.workspace}`)
})

it('gives the model in agent mode the tools, and runs one that only reads without a question', async () => {
  code.model.play(
    {
      when: ['What is running?', 'You are an expert AI programming assistant'],
      replies: [{ calls: [{ name: 'mcp_cadre_list_runs', input: {} }] }, { text: 'Nothing is running.' }],
    },
    { replies: [{ text: 'A title' }] },
  )
  await code.host.command('workbench.action.chat.open', {
    query: 'What is running?',
    mode: 'agent',
    blockOnResponse: true,
    modelSelector: { vendor: 'scripted', id: 'scripted-one' },
  })
  await workbench.chat.waitForAnswer(/Nothing is running\./)
  const asked = code.model.requests().filter(({ tools }) => tools.includes('mcp_cadre_list_runs'))
  expect(asked.at(-1)?.tools).toContain('mcp_cadre_delegate_work')
  expect(JSON.stringify(asked.at(-1)?.messages)).toMatch(/no runs/i)
})
