import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agent, configure, delegate, lane, promptOf, report, requestsOf } from './support/agents.ts'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'
import { until } from './support/until.ts'

let code: VsCode
let workbench: Workbench

const planner = `---
name: planner
description: Plans
tools: [read]
handoffs:
  - label: Build It
    agent: builder
    prompt: Build what was planned
    send: true
  - label: Think Again
    agent: planner
    prompt: Think about it again
---
${promptOf('planner')}
`
const builder = `---
name: builder
description: Builds
tools: [read, edit]
---
${promptOf('builder')}
`

beforeAll(async () => {
  code = await startVsCode({
    workspace: {
      'notes.md': '# Notes\n',
      '.github/agents/planner.agent.md': planner,
      '.github/agents/builder.agent.md': builder,
    },
  })
  workbench = await openWorkbench(code)
  await configure(code, [
    agent('coordinator', { delegates: 'all', tools: ['read', 'edit'] }),
    agent('worker', { tools: ['edit', 'probeDanger', 'probeSlow'] }),
  ])
})
afterAll(async () => {
  await workbench?.close()
  await code?.stop()
})
beforeEach(async () => {
  await workbench.chat.startNew()
})

const inWorkspace = (...parts: string[]) => path.join(code.workspace, ...parts)
const sessions = () =>
  readdirSync(inWorkspace('.cadre', 'sessions')).filter((name) => name.endsWith('.session.yaml'))
const write = (file: string) => ({
  calls: [{ name: 'write_file', input: { path: file, content: 'Written.\n' } }],
})
const shown = async (text: string | RegExp) => {
  await workbench.page.locator('.interactive-response').last().getByText(text).first().waitFor()
}
const cadre = async (...args: string[]) => {
  const command = path.join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'cadre.js')
  const env = { PATH: process.env['PATH'], HOME: code.home }
  return (await promisify(execFile)(process.execPath, [command, ...args], { cwd: code.workspace, env }))
    .stdout
}

describe('approvals in the chat', () => {
  it('shows the whole action of an agent below, and continues when the person clicks Approve', async () => {
    code.model.play(
      lane('coordinator', delegate('worker'), { text: 'It was written.' }),
      lane('worker', write('by-button.md'), report('I wrote it.')),
    )
    await workbench.chat.ask('@agents Write it')
    await shown('wants to use')
    expect(await workbench.chat.lastAnswer()).toMatch(/coordinator › worker wants to use write_file/)
    await shown(/\+\sWritten\./)
    expect(existsSync(inWorkspace('by-button.md'))).toBe(false)
    await workbench.screenshot('approval-in-chat')
    await workbench.clickButton(/^Approve$/)
    const answer = await workbench.chat.waitForAnswer(/It was written\./)
    expect(answer).toMatch(/Approved by \w+ \(coordinator › worker\)/)
    expect(readFileSync(inWorkspace('by-button.md'), 'utf8')).toBe('Written.\n')
    await workbench.screenshot('approved')
  })

  it('approves for the session when the person chooses so, and does not ask for that again', async () => {
    code.model.play(lane('coordinator', write('one.md'), write('two.md'), { text: 'Both were written.' }))
    await workbench.chat.ask('@agents Write both')
    await shown('wants to use')
    await workbench.clickButton('Approve for This Session')
    const answer = await workbench.chat.waitForAnswer(/Both were written\./)
    expect(answer.match(/wants to use/g)).toHaveLength(1)
    expect(existsSync(inWorkspace('two.md'))).toBe(true)
    expect(answer).toMatch(/Changed files: one\.md, two\.md/)
  })

  it('tells the agent why the person clicked Reject', async () => {
    code.model.play(
      lane('coordinator', delegate('worker'), { text: 'Then nothing is written.' }),
      lane('worker', write('rejected.md'), report('I was not allowed to.')),
    )
    await workbench.chat.ask('@agents Write it')
    await shown('wants to use')
    await workbench.clickButton(/^Reject$/)
    const reason = workbench.page.locator('.quick-input-widget input').filter({ visible: true }).first()
    await reason.fill('Write to docs instead.')
    await reason.press('Enter')
    const answer = await workbench.chat.waitForAnswer(/Then nothing is written\./)
    expect(answer).toMatch(/Rejected by \w+: Write to docs instead\. \(coordinator › worker\)/)
    expect(JSON.stringify(requestsOf(code, 'worker').at(-1)?.messages)).toContain('Write to docs instead.')
    expect(existsSync(inWorkspace('rejected.md'))).toBe(false)
  })

  it('continues when the command line approves', async () => {
    code.model.play(lane('coordinator', write('by-command.md'), { text: 'The terminal agreed.' }))
    await workbench.chat.ask('@agents Write it')
    await shown('wants to use')
    const [pending] = JSON.parse(await cadre('approvals', '--json'))
    await cadre('approve', pending.id)
    const answer = await workbench.chat.waitForAnswer(/The terminal agreed\./)
    expect(answer).toMatch(/Approved by/)
    expect(existsSync(inWorkspace('by-command.md'))).toBe(true)
  })

  it('stops when the command line cancels the session', async () => {
    const never = path.join(code.folder, 'never')
    code.model.play(lane('coordinator', { wait: never, text: 'This must not be said.' }))
    const before = new Set(sessions())
    await workbench.chat.ask('@agents Wait')
    await code.model.waitFor('waiting', ({ file }) => file === never)
    const id =
      sessions()
        .find((name) => !before.has(name))
        ?.replace('.session.yaml', '') ?? ''
    await cadre('sessions', 'cancel', id)
    await workbench.chat.waitForAnswer(/Stopped/)
    await code.model.waitFor('cancelled')
  })

  it('asks again after the window was closed, and resumes there', async () => {
    code.model.play(lane('coordinator', write('later.md'), { text: 'Late, but written.' }))
    await workbench.chat.ask('@agents Write it later')
    await shown('wants to use')
    await workbench.reload()
    await until('the session to sleep', async () => {
      const listed: { status: string }[] = JSON.parse(await cadre('sessions', 'list', '--json'))
      return listed.some(({ status }) => status === 'sleeping')
    })
    await workbench.chat.startNew()
    await workbench.chat.ask('@agents /approve')
    await shown('wants to use')
    await workbench.clickButton(/^Approve$/)
    await workbench.chat.waitForAnswer(/Late, but written\./)
    expect(existsSync(inWorkspace('later.md'))).toBe(true)
    const empty = '@agents /approve'
    await workbench.chat.ask(empty)
    await workbench.chat.waitForAnswer(/No pending approvals/)
  })
})

describe('handoffs', () => {
  it('offers the handoffs of an agent as buttons, and the next agent has the history', async () => {
    code.model.play(
      lane('planner', { text: 'The plan: paint it blue.' }),
      // Earlier text counts as a reply.
      lane('builder', { text: 'unused' }, { text: 'It is blue now.' }),
    )
    await workbench.chat.ask('@agents /handoff planner Plan the colour')
    await workbench.chat.waitForAnswer(/The plan: paint it blue\./)
    await workbench.screenshot('handoffs')
    await workbench.clickButton('Build It')
    await workbench.chat.waitForAnswer(/It is blue now\./)
    const messages = requestsOf(code, 'builder')
      .at(-1)
      ?.messages.map(({ parts }) => parts[0])
    expect(messages?.slice(1)).toMatchObject([
      { text: 'Plan the colour' },
      { text: 'The plan: paint it blue.' },
      { text: 'Build what was planned' },
    ])
  })

  it('lists the agents when a handoff names none of them', async () => {
    await workbench.chat.ask('@agents /handoff bilder Build')
    const answer = await workbench.chat.waitForAnswer(/There is no agent "bilder"/)
    expect(answer).toContain('builder')
  })
})

describe('with completed answers collapsed, as by default in VS Code', () => {
  const fold = (value: boolean) =>
    code.host.run(async (vscode, value) => {
      const settings = vscode.workspace.getConfiguration('chat.agent')
      await settings.update('collapseCompletedResponses', value, vscode.ConfigurationTarget.Global)
    }, value)

  it('keeps the answer, the changed files and the handoffs visible', async () => {
    await fold(true)
    try {
      code.model.play(
        lane(
          'planner',
          { calls: [{ name: 'read_file', input: { path: 'notes.md' } }] },
          { text: 'The plan: fold it.' },
        ),
      )
      await workbench.chat.ask('@agents /handoff planner Plan it')
      await workbench.chat.waitForAnswer(/The plan: fold it\./)
      await shown('The plan: fold it.')
      await workbench.page
        .locator('.monaco-button')
        .filter({ hasText: 'Build It', visible: true })
        .last()
        .waitFor()
      code.model.play(
        lane('coordinator', delegate('worker'), { text: 'It was changed.' }),
        lane('worker', write('folded.md'), report('I wrote it.')),
      )
      await workbench.chat.startNew()
      await workbench.chat.ask('@agents Write it')
      await shown('wants to use')
      await workbench.clickButton(/^Approve$/)
      await workbench.chat.waitForAnswer(/It was changed\./)
      await shown('It was changed.')
      await shown('Changed files')
      await workbench.screenshot('folded')
    } finally {
      await fold(false)
    }
  })
})

describe('the tool for the agent mode of Copilot', () => {
  const invoke = (input: object) =>
    code.host.run(async (vscode, input) => {
      const options = { input, toolInvocationToken: undefined }
      const { content } = await vscode.lm.invokeTool('copilotMultiAgent_delegateWork', options)
      return content.map(({ value }: { value: string }) => value).join('')
    }, input)

  it('runs an agent and returns its report', async () => {
    code.model.play(lane('worker', { text: 'The worker has looked.' }))
    const work = {
      agentName: 'Worker',
      workDescription: 'Look at the notes',
      reportExpectations: 'One sentence',
    }
    expect(await invoke(work)).toBe('The worker has looked.')
    expect(JSON.stringify(requestsOf(code, 'worker').at(-1)?.messages)).toContain('Look at the notes')
  })

  it('lists the agents when there is none with that name', async () => {
    const work = {
      agentName: 'nobody',
      workDescription: 'Look at the notes',
      reportExpectations: 'One sentence',
    }
    expect(await invoke(work)).toMatch(
      /there is no agent "nobody"\. Agents:[\s\S]*- worker: Whatever a worker does/,
    )
  })
})
