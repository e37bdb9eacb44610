import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agent, configure, delegate, report } from './support/agents.ts'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'
import { until } from './support/until.ts'

let code: VsCode
let workbench: Workbench

beforeAll(async () => {
  code = await startVsCode({ workspace: { 'notes.md': '# Notes\n' } })
  workbench = await openWorkbench(code)
})
afterAll(async () => {
  await workbench?.close()
  await code?.stop()
})

const inWorkspace = (...parts: string[]) => path.join(code.workspace, ...parts)
const question = (text: string | RegExp) =>
  workbench.page.locator('.interactive-response').last().getByText(text).first().waitFor()
const write = (file: string) => ({
  calls: [{ name: 'write_file', input: { path: file, content: 'Written.\n' } }],
})
const cadre = async (...args: string[]) => {
  const command = path.join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'cadre.js')
  const env = { PATH: process.env['PATH'], HOME: code.home }
  const options = { cwd: code.workspace, env }
  // A run that waits for an approval exits with code 3.
  const { stdout } = await promisify(execFile)(process.execPath, [command, ...args], options).catch(
    (error: { code: number; stdout: string }) => {
      if (error.code === 3) return error
      throw error
    },
  )
  return stdout
}
const isSleeping = async () => {
  const listed: { status: string }[] = JSON.parse(await cadre('sessions', 'list', '--json'))
  return listed.some(({ status }) => status === 'sleeping')
}

it('continues with the built-in team of the run, and asks as before, although the settings have other agents by now', async () => {
  code.model.play(
    {
      when: 'You coordinate.',
      replies: [
        delegate('documentation-writer'),
        delegate('code-reviewer'),
        { text: 'Written and reviewed.' },
      ],
    },
    { when: 'You review code.', replies: [report('There is nothing wrong with it.')] },
    { replies: [write('one.md'), write('two.md'), report('I wrote both.')] },
  )
  await workbench.chat.ask('@agents Write two pages')
  await question(/one\.md/)
  await workbench.reload()
  await until('the session to sleep', isSleeping)
  await configure(code, [agent('somebody')])
  await workbench.chat.startNew()
  await workbench.chat.ask('@agents /approve')
  await question(/one\.md/)
  await workbench.clickButton(/^Approve$/)
  await question(/two\.md/)
  expect(existsSync(inWorkspace('two.md'))).toBe(false)
  // The buttons of the first question stay.
  await workbench.page
    .locator('.monaco-button')
    .filter({ hasText: /^Approve$/ })
    .nth(1)
    .click()
  const answer = await workbench.chat.waitForAnswer(/Written and reviewed\./)
  expect(answer).toContain('✓ code-reviewer There is nothing wrong with it.')
  expect(existsSync(inWorkspace('two.md'))).toBe(true)
})

it('continues with the grants of the command line, and does not ask to trust the folder again', async () => {
  mkdirSync(inWorkspace('.github', 'hooks'), { recursive: true })
  const hook = { type: 'command', command: 'touch hook-ran' }
  writeFileSync(
    inWorkspace('.github', 'hooks', 'all.json'),
    JSON.stringify({ hooks: { PreToolUse: [hook] } }),
  )
  mkdirSync(inWorkspace('.github', 'agents'))
  writeFileSync(
    inWorkspace('.github', 'agents', 'lead.agent.md'),
    '---\nname: lead\ndescription: Leads\n---\nYou lead.\n',
  )
  const lane = [
    { calls: [{ tool: 'write_file', input: { path: 'granted.md', content: 'Written.\n' } }] },
    { reply: 'It was granted.' },
  ]
  writeFileSync(inWorkspace('script.yaml'), JSON.stringify({ lanes: { lead: lane } }))
  const printed = await cadre(
    'run',
    '--trust',
    '--agent',
    'lead',
    '--model',
    'scripted:script.yaml',
    '--json',
    'Write',
  )
  const { session } = JSON.parse(printed.trim().split('\n').at(-1) ?? '{}')
  await workbench.chat.startNew()
  await workbench.chat.ask(`@agents /approve ${session}`)
  await question(/granted\.md/)
  expect(await workbench.page.locator('.monaco-dialog-box').count()).toBe(0)
  await workbench.clickButton(/^Approve$/)
  await workbench.chat.waitForAnswer(/It was granted\./)
  expect(existsSync(inWorkspace('granted.md'))).toBe(true)
  expect(existsSync(inWorkspace('hook-ran'))).toBe(true)
})
