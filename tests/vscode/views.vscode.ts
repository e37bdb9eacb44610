import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Locator } from './support/browser.ts'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode, type VsCodeOptions } from './support/start-vscode.ts'
import { until } from './support/until.ts'

const bin = path.join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'cadre.js')

const agent = (name: string) => ({
  [`.github/agents/${name}.agent.md`]: `---\nname: ${name}\ndescription: The ${name}\n---\nYou are ${name}.\n`,
})
const playbook = (lanes: object) => JSON.stringify({ lanes })
const delegation = {
  tool: 'delegateWork',
  input: { agentName: 'worker', workDescription: 'Do your part.', reportExpectations: 'What you did.' },
}
const report = (text: string) => ({ calls: [{ tool: 'reportOut', input: { report: text } }] })
const asks = (tool: string, input: object) => [{ calls: [{ tool, input }] }, { reply: 'It says: {{last}}' }]

const files = {
  ...agent('lead'),
  ...agent('worker'),
  'src/greeting.ts': "export const greeting = 'hello wrld'\nexport const other = 1\n",
  'team.yaml': playbook({
    lead: [{ calls: [delegation] }, { reply: 'All is done.' }],
    worker: [report('worker is done')],
  }),
  'hang.yaml': playbook({ lead: [{ calls: [delegation] }, { reply: 'x' }], worker: [{ hang: true }] }),
  'edit.yaml': playbook({ lead: asks('edit_file', { path: 'src/greeting.ts', old: 'wrld', new: 'world' }) }),
  'hidden.yaml': playbook({
    lead: asks('write_file', { path: 'notes.md', content: 'if (user\u200b === admin) {}\n' }),
  }),
  'command.yaml': playbook({ lead: asks('execute_command', { command: 'touch made.txt' }) }),
}

describe('the views', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'cadre-views-'))
  const workspace = path.join(root, 'workspace')
  const user = path.join(root, 'user')
  let code: VsCode
  let workbench: Workbench

  const start = (args: readonly string[], env: Record<string, string> = {}) =>
    spawn(process.execPath, [bin, ...args], {
      cwd: workspace,
      env: { PATH: process.env['PATH'], HOME: user, USER: 'tester', ...env },
    })
  /** Runs the command line in the workspace, as the same user. */
  const cadre = async (...args: string[]) => {
    const child = start(args)
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (text) => {
      stdout += text
    })
    child.stderr.on('data', (text) => {
      stderr += text
    })
    const [status] = await once(child, 'close')
    return { status, stdout, stderr }
  }
  const run = (file: string, ...more: string[]) =>
    cadre('run', '--trust', '--agent', 'lead', '--model', `scripted:${file}`, '--json', ...more, 'Say hello.')
  const lastLine = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}')
  const row = (text: string | RegExp): Locator =>
    workbench.page.locator('.pane-body .monaco-list-row').filter({ hasText: text, visible: true }).first()
  /** A list may move its rows while one is clicked, so this clicks again until the row has opened something. */
  const clickUntil = <T>(what: string, name: string | RegExp, look: () => Promise<T | undefined | false>) => {
    let looks = 0
    return until(what, async () => {
      if (looks++ % 40 === 0) await row(name).click()
      return look()
    })
  }
  const inline = async (item: Locator, title: string) => {
    await item.hover()
    await item.locator(`a.action-label[aria-label^="${title}"]`).click()
  }
  const home = (...names: string[]) => path.join(workspace, '.cadre', ...names)
  const dialog = () => workbench.page.locator('.monaco-dialog-box')
  const editors = () =>
    code.host.run((vscode) =>
      vscode.window.tabGroups.all.flatMap((group: { tabs: { label: string }[] }) =>
        group.tabs.map((tab) => tab.label),
      ),
    )

  /** The loaded modules of the views that read homes. */
  const loaded = () =>
    code.host.run(() => {
      const { getBuiltinModule } = process as unknown as {
        getBuiltinModule(name: string): { _cache: object }
      }
      const files = Object.keys(getBuiltinModule('node:module')._cache)
      const ours = files.filter((file) => file.includes('copilot-multi-agent'))
      if (!ours.some((file) => file.endsWith('extension.cjs'))) throw new Error('It is not active.')
      return ours.filter((file) => /(?:read-sessions|read-approvals|open-tasks)\.cjs$/.test(file))
    })
  const text = () =>
    code.host.run((vscode): string => vscode.window.activeTextEditor?.document.getText() ?? '')

  const open = async (options: VsCodeOptions = {}) => {
    await close()
    code = await startVsCode({ workspace, environment: { HOME: user, USER: 'viewer' }, ...options })
    workbench = await openWorkbench(code)
  }
  const close = async () => {
    await workbench?.close()
    await code?.stop()
  }

  beforeAll(async () => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true })
      writeFileSync(path.join(workspace, name), text)
    }
    mkdirSync(user)
    await open()
  })
  afterAll(async () => {
    await close()
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  })

  it('load nothing of the engine before there is something to show', async () => {
    await code.host.command('copilotMultiAgent.sessions.focus')
    await workbench.page.getByText('No agent has worked here yet.').first().waitFor()
    expect(await loaded()).toEqual([])
  })

  it('show a session of the command line with its delegations, as soon as it exists', async () => {
    const { status } = await run('team.yaml')
    expect(status).toBe(0)
    await row('lead').waitFor()
    await row('lead').locator('.monaco-tl-twistie').click()
    await row('worker').waitFor()
    await workbench.screenshot('sessions')
    await row('lead').click()
    await until('the session file', async () =>
      (await editors()).some((name: string) => name.startsWith('lead-')),
    )
  })

  it('show a session that runs in another process, and stop it', async () => {
    const child = start([
      'run',
      '--trust',
      '--agent',
      'lead',
      '--model',
      'scripted:hang.yaml',
      '--json',
      'Wait.',
    ])
    const ended = once(child, 'close')
    onTestFinished(() => void child.kill('SIGKILL'))
    await row(/lead.*running in another process/).waitFor()
    await row(/lead.*running in another process/)
      .locator('.codicon-debug-stop')
      .waitFor({ state: 'attached' })
    // By its id: the rows move when the session starts to delegate, and a click could hit another one.
    const session = readdirSync(home('sessions'))
      .map((name) => name.replace('.session.yaml', ''))
      .find(
        (id) =>
          id.startsWith('lead-') &&
          /^status: active/m.test(readFileSync(home('sessions', `${id}.session.yaml`), 'utf8')),
      )
    await code.host.command('copilotMultiAgent.cancelSession', { session })
    expect((await ended)[0]).toBe(130)
    await row(/lead.*cancelled/).waitFor()
  })

  it('show the diff of an edit, and approve it', async () => {
    const waiting = await run('edit.yaml')
    expect(waiting.status).toBe(3)
    const { session } = lastLine(waiting.stdout)
    await workbench.page.locator('.statusbar-item').filter({ hasText: '1 approval' }).first().click()
    await clickUntil('the difference', 'Write src/greeting.ts', async () =>
      (await editors()).some((name: string) => name.includes('greeting.ts (now ↔ if you approve)')),
    )
    const shown = workbench.page.locator('.editor.modified')
    await shown.getByText("'hello world'").first().waitFor()
    await workbench.screenshot('approval-in-view')
    await inline(row('Write src/greeting.ts'), 'Approve')
    await dialog().getByText('Argument new: world').waitFor()
    await dialog().getByRole('button', { name: 'Approve', exact: true }).click()
    await workbench.page.getByText('Approved. The session continues when it is resumed.').first().waitFor()
    await workbench.page
      .locator('.statusbar-item')
      .filter({ hasText: 'approval' })
      .waitFor({ state: 'detached' })
    const resumed = await cadre('resume', session, '--trust', '--json')
    expect(resumed.status).toBe(0)
    expect(readFileSync(path.join(workspace, 'src/greeting.ts'), 'utf8')).toContain("'hello world'")
  })

  it('show a whole command, and tell the agent why it was rejected', async () => {
    const waiting = await run('command.yaml')
    expect(waiting.status).toBe(3)
    const { session } = lastLine(waiting.stdout)
    const shown = await clickUntil(
      'the command',
      'touch made.txt',
      async () => /^Command: touch made\.txt$[\s\S]*/m.exec(await text())?.[0],
    )
    expect(shown).toContain(`\nFolder: ${workspace}\n`)
    expect(shown).toMatch(/^Agent: lead\nRisk: \w+\n/m)
    await workbench.screenshot('approval-command')
    // Esc in the prompt for the reason decides nothing.
    await inline(row('touch made.txt'), 'Reject')
    await workbench.page
      .locator('.quick-input-widget input')
      .filter({ visible: true })
      .first()
      .press('Escape')
    await workbench.page.locator('.quick-input-widget').first().waitFor({ state: 'hidden' })
    await inline(row('touch made.txt'), 'Reject')
    await workbench.page
      .locator('.quick-input-widget input')
      .filter({ visible: true })
      .first()
      .fill('Not today.')
    await workbench.page.keyboard.press('Enter')
    await workbench.page.getByText('Rejected. The session continues when it is resumed.').first().waitFor()
    const resumed = await cadre('resume', session, '--trust', '--json')
    expect(lastLine(resumed.stdout).text).toMatch(/^It says: rejected by \S+: Not today\.$/)
  })

  it('report an earlier decision of another user, and reject what is not an approval', async () => {
    const waiting = await run('hidden.yaml')
    const { questions, session } = lastLine(waiting.stdout)
    // An invisible character is shown as an escape.
    await clickUntil('the text', 'Write notes.md', async () =>
      (await text()).includes('(user\\u200b === admin)'),
    )
    expect((await cadre('reject', questions[0].approval)).status).toBe(0)
    await code.host.command('copilotMultiAgent.approve', { session, question: questions[0].name })
    await workbench.page
      .getByText(/was already rejected by tester/)
      .first()
      .waitFor()
    await code.host.command('copilotMultiAgent.approve', { session: '../../x', question: 'approval/1' })
    await workbench.page.getByText('This is not an approval.').first().waitFor()
    await row('Write notes.md').waitFor({ state: 'detached' })
  })

  it('show tasks, open them at their line, and change only their state', async () => {
    const file = home('tasks', 'work.task.md')
    const text =
      '# Work\r\n\r\n- [ ] A @worker "First"\r\n  id: t-1\r\n\t<!-- mine -->\r\n- [ ] "Second"\r\n  id: t-2\r\n  depends_on: t-1\r\n'
    mkdirSync(home('tasks'), { recursive: true })
    writeFileSync(file, text)
    await code.host.command('copilotMultiAgent.tasks.focus')
    await row(/Second.*waiting for t-1/).waitFor()
    await clickUntil('the line of the task', /Second.*waiting for t-1/, () =>
      code.host.run((vscode) => vscode.window.activeTextEditor?.selection.active.line === 5),
    )
    await workbench.screenshot('tasks')
    await row(/First/).locator('.custom-view-tree-node-item-checkbox').click()
    await until('the change', () => readFileSync(file, 'utf8') !== text)
    expect(readFileSync(file, 'utf8')).toBe(text.replace('[ ] A', '[x] A'))
    await row(/Second.*after t-1/).waitFor()
  })

  it('show an unreadable session file next to the others', async () => {
    writeFileSync(home('sessions', 'broken-1.session.yaml'), 'agent_id: [\n\u0000')
    await code.host.command('copilotMultiAgent.sessions.focus')
    await row(/broken-1.*cannot be read/).waitFor()
    expect(await row('lead').isVisible()).toBe(true)
  })

  it('notify about an approval that arrives unseen, and accept the decision there', async () => {
    await code.host.command('notifications.clearAll')
    await code.host.command('workbench.view.explorer')
    const waiting = await run('command.yaml')
    const { session } = lastLine(waiting.stdout)
    await workbench.page.getByText('lead asks for your approval (medium risk).').first().waitFor()
    await workbench.screenshot('notification')
    await workbench.clickButton('Approve…')
    await dialog().getByText('Command: touch made.txt').waitFor()
    await dialog().getByRole('button', { name: 'Approve', exact: true }).click()
    await workbench.page.getByText('Approved. The session continues when it is resumed.').first().waitFor()
    expect((await cadre('resume', session, '--trust', '--json')).status).toBe(0)
    expect(readdirSync(workspace)).toContain('made.txt')
  })

  it('add a typed task', async () => {
    // It ends with its window, in the next test.
    code.host.command('copilotMultiAgent.newTask').catch(() => {})
    const input = workbench.page.locator('.quick-input-widget input').filter({ visible: true }).first()
    await input.fill('@worker Look at the "port"')
    await input.press('Enter')
    await until('the task', () =>
      readFileSync(home('tasks', 'work.task.md'), 'utf8').includes('- [ ] @worker "Look at the \\"port\\""'),
    )
  })

  it('show nothing in a restricted workspace', async () => {
    expect(readdirSync(home('sessions')).length).toBeGreaterThan(3)
    await open({ trusted: false })
    await code.host.command('copilotMultiAgent.sessions.focus')
    await workbench.page.getByText('does not read this workspace').first().waitFor()
    expect(await workbench.page.locator('.pane-body .monaco-list-row').count()).toBe(0)
    expect(await loaded()).toEqual([])
  })

  it('show nothing from a foreign home', async () => {
    // Another user, who did not create it.
    await open({ environment: {} })
    await code.host.command('copilotMultiAgent.sessions.focus')
    await workbench.page.getByText('Nothing in it is shown until you trust it.').first().waitFor()
    expect(await workbench.page.locator('.pane-body .monaco-list-row').count()).toBe(0)
  })
})
