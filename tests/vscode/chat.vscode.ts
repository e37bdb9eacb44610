import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agent, configure, delegate, lane, promptOf, report, requestsOf } from './support/agents.ts'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'
import { until } from './support/until.ts'

let code: VsCode
let workbench: Workbench

beforeAll(async () => {
  code = await startVsCode({
    workspace: { 'notes.md': '# Notes\n\nThe answer is 42.\n', 'list.md': 'one\ntwo\nthree\nfour\n' },
  })
  workbench = await openWorkbench(code)
})
afterAll(async () => {
  await workbench?.close()
  await code?.stop()
})
beforeEach(async () => {
  await workbench.chat.startNew()
})

const asked = async (text: string, expected: RegExp) => {
  await workbench.chat.ask(text)
  return workbench.chat.waitForAnswer(expected)
}

/** The tool results in the last request of an agent. */
const results = (name: string): string =>
  (requestsOf(code, name).at(-1)?.messages ?? [])
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.kind === 'result' ? [part.text] : []))
    .join('\n')

const inWorkspace = (...parts: string[]) => path.join(code.workspace, ...parts)
const session = (name: string) => {
  const folder = inWorkspace('.cadre', 'sessions')
  const files = readdirSync(folder).filter(
    (file) => file.startsWith(`${name}-`) && file.endsWith('.session.yaml'),
  )
  return files.map((file) => readFileSync(path.join(folder, file), 'utf8'))
}

describe('the participant @agents', () => {
  it('answers a simple task without delegation, with the prompt of the entry agent and the model of the request', async () => {
    await configure(code, [agent('coordinator')])
    code.model.play(lane('coordinator', { text: 'It is **forty-two**.' }))
    const before = requestsOf(code, 'coordinator').length
    await asked('@agents What is the answer?', /It is forty-two\./)
    const [request, ...others] = requestsOf(code, 'coordinator').slice(before)
    expect(others).toEqual([])
    expect(request?.model).toBe('scripted-one')
    expect(request?.messages.map(({ role }) => role)).toEqual(['user', 'user'])
    expect(request?.messages[1]?.parts).toEqual([{ kind: 'text', text: 'What is the answer?' }])
  })

  it('uses the model that an agent names, and reports when there is none with that name', async () => {
    await configure(code, [
      agent('coordinator', { delegates: 'all', model: 'GPT-7 (copilot)' }),
      agent('worker', { model: 'Scripted Two (scripted)' }),
    ])
    code.model.play(
      lane('coordinator', delegate('worker'), { text: 'Both models answered.' }),
      lane('worker', report('Done by the second model.')),
    )
    const answer = await asked('@agents Use both', /Both models answered\./)
    expect(answer).toContain('VS Code offers no model "GPT-7 (copilot)", so Cadre uses Scripted One.')
    expect(requestsOf(code, 'coordinator').at(-1)?.model).toBe('scripted-one')
    expect(requestsOf(code, 'worker').at(-1)?.model).toBe('scripted-two')
  })

  it('falls back to the first agent when the configured entry agent does not exist', async () => {
    await configure(code, [agent('first'), agent('second')], 'nobody')
    code.model.play(lane('first', { text: 'The first one answers.' }))
    const answer = await asked('@agents Who is there?', /The first one answers\./)
    expect(answer).toMatch(/entryAgent.*first/s)
  })

  it('gives the entry agent the earlier messages, and a delegate none of them', async () => {
    await configure(code, [agent('coordinator', { delegates: 'all' }), agent('worker')])
    code.model.play(lane('coordinator', { text: 'Noted: purple.' }))
    await asked('@agents My colour is purple', /Noted: purple\./)
    code.model.play(
      lane('coordinator', delegate('worker'), delegate('worker'), { text: 'It was purple.' }),
      lane('worker', report('I know no colour.')),
    )
    // The previous answer counts as a reply of this conversation, so the script continues with its second one.
    await asked('@agents What was it?', /It was purple\./)
    const texts = requestsOf(code, 'coordinator')
      .at(-1)
      ?.messages.map(({ role, parts }) => [role, parts[0]])
    expect(texts?.slice(1, 4)).toMatchObject([
      ['user', { text: 'My colour is purple' }],
      ['assistant', { text: 'Noted: purple.' }],
      ['user', { text: 'What was it?' }],
    ])
    expect(JSON.stringify(requestsOf(code, 'worker').at(-1)?.messages)).not.toContain('purple')
  })

  it('gives the entry agent the attached files and selections, and a delegate none of them', async () => {
    await configure(code, [agent('coordinator', { delegates: 'all' }), agent('worker')])
    code.model.play(
      lane('coordinator', delegate('worker'), { text: 'I have seen both.' }),
      lane('worker', report('I have seen neither.')),
    )
    await code.host.run(
      async (vscode, notes, list) => {
        // One-based, as inside VS Code.
        const range = { startLineNumber: 2, startColumn: 1, endLineNumber: 3, endColumn: 6 }
        const selection = { uri: vscode.Uri.file(list), range }
        await vscode.commands.executeCommand('workbench.action.chat.open', {
          query: '@agents What is attached?',
          attachFiles: [vscode.Uri.file(notes), selection],
        })
      },
      inWorkspace('notes.md'),
      inWorkspace('list.md'),
    )
    await workbench.chat.waitForAnswer(/I have seen both\./)
    const attached = JSON.stringify(requestsOf(code, 'coordinator').at(-1)?.messages[1]?.parts)
    expect(attached).toMatch(/What is attached\?.*### notes\.md.*The answer is 42\./)
    expect(attached).toMatch(/### list\.md, lines 2 to 3.*two\\nthree/)
    expect(attached).not.toContain('four')
    const delegated = JSON.stringify(requestsOf(code, 'worker').at(-1)?.messages)
    expect(delegated).not.toMatch(/42|three/)
  })

  it('lists the agents and shows the status', async () => {
    await configure(code, [agent('coordinator', { delegates: ['worker'] }), agent('worker')])
    const agents = await asked('@agents /agents', /Whatever a worker does/)
    expect(agents).toMatch(/coordinator \(answers @agents\)/)
    code.model.play(lane('coordinator', { text: 'One session more.' }))
    await asked('@agents Work', /One session more\./)
    const status = await asked('@agents /status', /No pending approvals|pending approval/)
    expect(status).toMatch(/coordinator-\w+/)
  })
})

describe('delegation', () => {
  it('delegates one level, tells the agent its delegation targets, and ends with one consolidated answer', async () => {
    await configure(code, [agent('coordinator', { delegates: ['worker'] }), agent('worker'), agent('other')])
    code.model.play(
      lane('coordinator', delegate('worker'), { text: 'The worker says 42.' }),
      lane('worker', report('The notes say 42.')),
    )
    await asked('@agents Ask the worker', /The worker says 42\./)
    const [first] = requestsOf(code, 'coordinator').slice(-2)
    const prompt = JSON.stringify(first?.messages[0])
    expect(prompt).toContain('Whatever a worker does')
    expect(prompt).not.toContain('Whatever a other does')
    expect(first?.tools).toContain('delegateWork')
    expect(requestsOf(code, 'worker').at(-1)?.tools).toContain('reportOut')
    expect(requestsOf(code, 'worker').at(-1)?.tools).not.toContain('delegateWork')
  })

  it('delegates through a chain of two levels, and each report goes back to the delegating agent', async () => {
    await configure(code, [
      agent('coordinator', { delegates: ['planner'] }),
      agent('planner', { delegates: ['worker'] }),
      agent('worker'),
    ])
    code.model.play(
      lane('coordinator', delegate('planner'), { text: 'All is done: the plan holds.' }),
      lane('planner', delegate('worker'), report('The worker read the notes.')),
      lane('worker', report('The notes say 42.')),
    )
    const answer = await asked('@agents Do it', /All is done: the plan holds\./)
    expect(answer).toContain('✓ planner › worker The notes say 42.')
    expect(answer).toContain('✓ planner The worker read the notes.')
    expect(results('planner')).toContain('The notes say 42.')
    expect(results('coordinator')).toContain('The worker read the notes.')
    expect(results('coordinator')).not.toContain('The notes say 42.')
  })

  it('prevents circular delegation, and delegation to an agent that is not permitted', async () => {
    await configure(code, [
      agent('coordinator', { delegates: ['planner'] }),
      agent('planner', { delegates: 'all' }),
      agent('worker'),
    ])
    code.model.play(
      lane('coordinator', delegate('worker'), delegate('planner'), { text: 'That was not possible.' }),
      lane('planner', delegate('coordinator'), report('I cannot delegate back.')),
    )
    await asked('@agents Go round', /That was not possible\./)
    expect(results('coordinator')).toMatch(/worker/)
    expect(results('planner')).toMatch(/coordinator/)
    expect(requestsOf(code, 'coordinator').at(-1)?.messages.length).toBeGreaterThan(4)
    expect(session('worker').filter((text) => text.includes('Go round'))).toEqual([])
  })

  it('runs three agents at the same time without interference, each shown by its own name', async () => {
    await configure(code, [agent('coordinator', { delegates: 'all' }), agent('left'), agent('right')])
    const gate = path.join(code.folder, 'three-at-once')
    code.model.play(
      lane('coordinator', delegate('left', 'right', 'left'), { text: 'All three are back.' }),
      lane('left', { wait: gate, ...report('Left is done.') }),
      lane('right', { wait: gate, ...report('Right is done.') }),
    )
    await workbench.chat.ask('@agents All at once')
    await until('three requests to wait at once', () => {
      const waiting = code.model.entries('waiting').filter(({ file }) => file === gate)
      return waiting.length === 3
    })
    writeFileSync(gate, '')
    const answer = await workbench.chat.waitForAnswer(/All three are back\./)
    expect(answer).toContain('✓ left Left is done.')
    expect(answer).toContain('✓ left 2 Left is done.')
    expect(answer).toContain('✓ right Right is done.')
    expect(results('coordinator').match(/(Left|Right) is done\./g)).toEqual([
      'Left is done.',
      'Right is done.',
      'Left is done.',
    ])
  })
})

describe('tools', () => {
  it('uses a tool of another extension, after an approval in a file, with its result on the wire', async () => {
    await configure(code, [agent('coordinator', { tools: ['cadre-tests.scripted-model/probeEcho'] })])
    code.model.play(
      lane(
        'coordinator',
        { calls: [{ name: 'probe_echo', input: { text: 'hello' } }] },
        { text: 'It echoes.' },
      ),
    )
    await workbench.chat.ask('@agents Call the echo')
    await approveInFile('probe_echo')
    const answer = await workbench.chat.waitForAnswer(/It echoes\./)
    expect(answer).toMatch(/coordinator wants to use probe_echo/)
    expect(answer).toMatch(/Approved by .*\(coordinator\)/)
    expect(code.model.entries('tool').at(-1)).toMatchObject({ name: 'probe_echo', inChat: true })
    const last = requestsOf(code, 'coordinator').at(-1)?.messages ?? []
    expect(last.at(-2)?.parts).toMatchObject([{ kind: 'call', name: 'probe_echo', input: { text: 'hello' } }])
    expect(last.at(-1)?.parts).toMatchObject([{ kind: 'result', text: 'echo: hello' }])
  })

  it('checks the arguments of a VS Code tool before anything runs', async () => {
    await configure(code, [agent('coordinator', { tools: ['probeEcho'] })])
    code.model.play(
      lane(
        'coordinator',
        { calls: [{ name: 'probeEcho', input: { text: 7 } }] },
        { text: 'That was wrong.' },
      ),
    )
    const before = code.model.entries('tool').length
    await asked('@agents Call it wrongly', /That was wrong\./)
    expect(results('coordinator')).toContain('text must be string')
    expect(code.model.entries('tool').length).toBe(before)
  })

  it('offers only permitted tools, without duplicates, and never the tool for Copilot', async () => {
    await configure(code, [
      agent('coordinator', { tools: 'all', delegates: 'all' }),
      agent('narrow', { tools: ['read'] }),
    ])
    code.model.play(lane('coordinator', { text: 'I have many tools.' }))
    await asked('@agents What can you do?', /I have many tools\./)
    const tools = requestsOf(code, 'coordinator').at(-1)?.tools ?? []
    expect(tools).toEqual(expect.arrayContaining(['read_file', 'probe_echo', 'delegateWork']))
    expect(new Set(tools).size).toBe(tools.length)
    expect(tools.filter((name) => /copilotMultiAgent|copilot_readFile|confirmation/.test(name))).toEqual([])
    await workbench.chat.startNew()
    code.model.play(lane('narrow', { text: 'I only read.' }))
    await asked('@agents /handoff narrow What can you do?', /I only read\./)
    expect(requestsOf(code, 'narrow').at(-1)?.tools).not.toContain('probe_echo')
  })

  it('refuses a tool that an agent two levels down may not use: tool access restriction', async () => {
    await configure(code, [
      agent('coordinator', { delegates: 'all', tools: 'all' }),
      agent('planner', { delegates: 'all', tools: 'all' }),
      agent('worker', { tools: ['read'] }),
    ])
    code.model.play(
      lane('coordinator', delegate('planner'), { text: 'The worker was refused.' }),
      lane('planner', delegate('worker'), report('The worker could not.')),
      lane(
        'worker',
        {
          calls: [
            { name: 'write_file', input: { path: 'x.md', content: 'x' } },
            { name: 'probe_echo', input: { text: 'x' } },
          ],
        },
        report('I may not.'),
      ),
    )
    await asked('@agents Try it', /The worker was refused\./)
    expect(results('worker')).toMatch(/may not use write_file/i)
    expect(results('worker')).toMatch(/may not use probe_echo/i)
    expect(existsSync(inWorkspace('x.md'))).toBe(false)
  })

  it('gives an agent the failure of a tool, and the conversation continues', async () => {
    await configure(code, [agent('coordinator', { tools: ['probeFail'] })])
    code.model.play(
      lane(
        'coordinator',
        { calls: [{ name: 'probe_fail', input: {} }] },
        { text: 'The tool failed, so I stop.' },
      ),
    )
    await workbench.chat.ask('@agents Fail')
    await approveInFile('probe_fail')
    await workbench.chat.waitForAnswer(/The tool failed, so I stop\./)
    expect(results('coordinator')).toContain('probe_fail fails')
    code.model.play(lane('coordinator', { text: 'And the next request works.' }))
    await workbench.chat.startNew()
    await asked('@agents Hello', /And the next request works\./)
  })
})

describe('failures', () => {
  it('recovers from the failure of an agent: its parent gets it as an outcome, and others are not affected', async () => {
    await configure(code, [agent('coordinator', { delegates: 'all' }), agent('broken'), agent('worker')])
    code.model.play(
      lane('coordinator', delegate('broken', 'worker'), { text: 'One of two is back.' }),
      lane('broken', { error: { message: 'the wire was cut', code: 'Blocked' } }),
      lane('worker', report('I am fine.')),
    )
    const answer = await asked('@agents Both', /One of two is back\./)
    expect(answer).toMatch(/✗ broken failed: The model Scripted One refused the request \(the wire was cut\)/)
    expect(results('coordinator')).toContain('I am fine.')
    expect(results('coordinator')).toContain('the wire was cut')
  })

  it('lets the plain model answer when the entry agent cannot start, and reports it', async () => {
    await configure(code, [agent('coordinator', { model: 'scripted-two' })])
    code.model.play(
      {
        when: promptOf('coordinator'),
        model: 'scripted-two',
        replies: [{ error: { message: 'gone', code: 'NotFound' } }],
      },
      { model: 'scripted-one', replies: [{ text: 'The plain model answers.' }] },
    )
    const answer = await asked('@agents Hello', /The plain model answers\./)
    expect(answer).toMatch(/coordinator could not start .* the model answered alone/)
  })

  it('shows a failure as an error, and the next request works', async () => {
    await configure(code, [agent('coordinator')])
    code.model.play(lane('coordinator', { error: { message: 'network down: ECONNREFUSED' } }))
    await asked('@agents Hello', /The model Scripted One cannot be reached/)
    code.model.play(lane('coordinator', { text: 'Here again.' }))
    await workbench.chat.startNew()
    await asked('@agents Hello', /Here again\./)
  })

  it('offers to show the status after a failure', async () => {
    await configure(code, [agent('coordinator')])
    code.model.play(lane('coordinator', { error: { message: 'network down: ECONNREFUSED' } }))
    await asked('@agents Hello', /The model Scripted One cannot be reached/)
    await workbench.clickButton('Show status')
    await workbench.chat.waitForAnswer(/coordinator-\w+[\s\S]*pending approval/)
  })

  it('uses the default with a warning when the settings are invalid, and the next request works', async () => {
    await code.host.run((vscode) =>
      vscode.workspace
        .getConfiguration('copilotMultiAgent')
        .update('agents', [7], vscode.ConfigurationTarget.Global),
    )
    await until('the warning', async () =>
      (await workbench.notifications()).some((said) =>
        said.includes('configuration.agents[0] must be an object'),
      ),
    )
    // It covers the chat input.
    await code.host.command('notifications.clearAll')
    code.model.play({ when: 'You coordinate', replies: [{ text: 'The default answers.' }] })
    await asked('@agents Hello', /The default answers\./)
    await configure(code, [agent('coordinator')])
    code.model.play(lane('coordinator', { text: 'The settings are valid again.' }))
    await workbench.chat.startNew()
    await asked('@agents Hello', /The settings are valid again\./)
  })

  it('reports what is wrong with an agent file, works with the other agents, and the next request works', async () => {
    await configure(code, [agent('coordinator', { delegates: 'all' }), agent('worker')])
    const file = inWorkspace('.github', 'agents', 'torn.agent.md')
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, '---\nname: torn\ndescription: [1, 2\ntools: {\n---\nYou are torn.\n')
    code.model.play(
      lane('coordinator', delegate('torn', 'worker'), { text: 'Only the worker is back.' }),
      lane('worker', report('I work.')),
    )
    const answer = await asked('@agents Ask both', /Only the worker is back\./)
    expect(answer).toContain('torn.agent.md')
    expect(answer).toContain('✓ worker I work.')
    rmSync(file)
    code.model.play(lane('coordinator', { text: 'All files are fine.' }))
    await workbench.chat.startNew()
    expect(await asked('@agents Hello', /All files are fine\./)).not.toContain('torn')
  })

  it('cancels a whole tree: the model is notified, and nothing continues', async () => {
    await configure(code, [agent('coordinator', { delegates: 'all' }), agent('worker')])
    const never = path.join(code.folder, 'never')
    code.model.play(
      lane('coordinator', delegate('worker', 'worker'), { text: 'This must not be said.' }),
      lane('worker', { wait: never, text: 'nor this' }),
    )
    await workbench.chat.ask('@agents Wait')
    const waiting = await until('both workers to wait', () => {
      const found = code.model.entries('waiting').filter(({ file }) => file === never)
      return found.length === 2 && found
    })
    await workbench.chat.cancel()
    for (const { request } of waiting)
      await code.model.waitFor('cancelled', (entry) => entry.request === request)
    await until('the sessions to have ended', () =>
      session('worker')
        .slice(-2)
        .every((text) => /^status: (completed|error)/m.test(text)),
    )
    const requests = code.model.requests().length
    code.model.play(lane('coordinator', { text: 'Fresh.' }))
    await workbench.chat.startNew()
    await asked('@agents Again', /Fresh\./)
    expect(code.model.requests().length).toBe(requests + 1)
  })
})

describe('without a model', () => {
  const models = () => code.host.run(async (vscode) => (await vscode.lm.selectChatModels()).length)

  it('reports that there is no model, in the chat and to delegating agents, and the next request works', async () => {
    await configure(code, [agent('coordinator')])
    await code.host.command('scriptedModel.offer', false)
    try {
      await until('the models to be gone', async () => (await models()) === 0)
      await code.host.command('workbench.action.chat.open', { query: '@agents Hello' })
      // VS Code reports it: it calls no participant without a model.
      await workbench.chat.waitForAnswer(/Language model unavailable/)
      const delegated = await code.host.run(async (vscode) => {
        const input = { agentName: 'coordinator', workDescription: 'Look at it', reportExpectations: 'Facts' }
        const { content } = await vscode.lm.invokeTool('copilotMultiAgent_delegateWork', {
          input,
          toolInvocationToken: undefined,
        })
        return content[0].value as string
      })
      expect(delegated).toBe('Failed: no language model is available.')
    } finally {
      await code.host.command('scriptedModel.offer', true)
    }
    await until('the models to be there', async () => (await models()) > 0)
    code.model.play(lane('coordinator', { text: 'There is a model again.' }))
    await workbench.chat.startNew()
    await asked('@agents Hello', /There is a model again\./)
  })
})

describe('settings', () => {
  it('applies a configuration change from the next request, without affecting the running one', async () => {
    await configure(code, [agent('coordinator', { delegates: 'all' }), agent('worker')])
    const gate = path.join(code.folder, 'settings-changed')
    code.model.play(
      lane('coordinator', { wait: gate, ...delegate('worker') }, { text: 'The old team is done.' }),
      lane('worker', report('I was there from the start.')),
      lane('newcomer', { text: 'I am new here.' }),
    )
    await workbench.chat.ask('@agents Begin')
    await code.model.waitFor('waiting', ({ file }) => file === gate)
    await configure(code, [agent('newcomer')])
    writeFileSync(gate, '')
    await workbench.chat.waitForAnswer(/The old team is done\./)
    expect(results('coordinator')).toContain('I was there from the start.')
    await workbench.chat.startNew()
    await asked('@agents Who are you?', /I am new here\./)
  })
})

describe('next to normal chat', () => {
  it('does not interfere with another participant, and costs nothing when it is not used', async () => {
    const sessions = readdirSync(inWorkspace('.cadre', 'sessions')).length
    code.model.play({ when: 'You are the probe', replies: [{ text: 'Only the probe.' }] })
    await asked('@probe hello', /Only the probe\./)
    expect(readdirSync(inWorkspace('.cadre', 'sessions')).length).toBe(sessions)
    expect(code.model.requests().at(-1)?.messages).toHaveLength(1)
  })
})

describe('disposal', () => {
  it('suspends a run when the window is closed, ends with its extension host, and works in the next one', async () => {
    await configure(code, [agent('coordinator', { delegates: 'all' }), agent('worker')])
    const never = path.join(code.folder, 'never-disposed')
    code.model.play(
      lane('coordinator', delegate('worker'), { text: 'This must not be said.' }),
      lane('worker', { wait: never, text: 'nor this' }),
    )
    await workbench.chat.ask('@agents Work until the end')
    await code.model.waitFor('waiting', ({ file }) => file === never)
    const before = await code.host.run(() => process.pid)
    await workbench.reload()
    await until('the sessions to sleep', () =>
      ['coordinator', 'worker'].every((name) =>
        session(name).some((text) => /^status: sleeping/m.test(text)),
      ),
    )
    await until('the old extension host to end', () => !isAlive(before))
    await workbench.chat.startNew()
    code.model.play(lane('coordinator', { text: 'Here again after the restart.' }))
    await asked('@agents Hello', /Here again after the restart\./)
    const missing = await code.host.run(async (vscode) => {
      const commands: string[] = await vscode.commands.getCommands(true)
      const { contributes } = vscode.extensions.getExtension('cadre.copilot-multi-agent').packageJSON
      return contributes.commands
        .map(({ command }: { command: string }) => command)
        .filter((command: string) => !commands.includes(command))
    })
    expect(missing).toEqual([])
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Puts an x into the form of the newest question that contains these words. */
async function approveInFile(words: string): Promise<void> {
  const folder = inWorkspace('.cadre', 'approvals', 'pending')
  const file = await until('the form of the approval', () => {
    const files = existsSync(folder) ? readdirSync(folder) : []
    return files
      .map((name) => path.join(folder, name))
      .find((one) => readFileSync(one, 'utf8').includes(words))
  })
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('**Decision:**', '**Decision:** APPROVED'))
}
