import { describe, expect, test } from 'vitest'
import { agentFile, createProject, delegate, report } from '../cli/support/project.ts'
import { openEditor } from './support/editor.ts'

const write = (path: string, content: string) => ({
  calls: [{ tool: 'write_file', input: { path, content } }],
})

function createTeam(lanes: object, files: Record<string, string | object> = {}) {
  return createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': { model: { window: 10_000 }, lanes },
    ...files,
  })
}

test('answers a prompt, and sends title, commands, usage and the text', async () => {
  const project = createTeam({ lead: [{ reply: 'Hello.', usage: { input: 100, output: 20, cost: 0.5 } }] })
  const editor = await openEditor(project)
  const sessionId = await editor.open()
  const answer = await editor.prompt(sessionId, 'Say hello.')
  expect(answer).toMatchObject({ stopReason: 'end_turn', usage: { totalTokens: 120 } })
  expect(editor.text()).toBe('Hello.')
  expect(editor.of('session_info_update')).toMatchObject([{ title: 'Say hello.' }])
  expect(
    editor
      .of('available_commands_update')
      .at(-1)
      ?.availableCommands.map(({ name }) => name),
  ).toContain('compact')
  expect(editor.of('usage_update')).toMatchObject([
    { used: 120, size: 10_000, cost: { amount: 0.5, currency: 'USD' } },
  ])
  expect(project.sessions()).toEqual([sessionId])
})

test('shows a write as a card with a whole diff, after it asked with the whole action', async () => {
  const project = createTeam({ lead: [write('a.txt', 'new\n'), { reply: 'Done.' }] }, { 'a.txt': 'old\n' })
  const editor = await openEditor(project)
  const sessionId = await editor.open()
  await editor.prompt(sessionId, 'Write.')
  const [asked] = editor.asked
  expect(asked?.toolCall.content).toContainEqual({
    type: 'diff',
    path: project.at('a.txt'),
    oldText: 'old\n',
    newText: 'new\n',
  })
  expect(asked?.options.map(({ kind }) => kind)).toContain('reject_once')
  const card = editor.cards().get(asked?.toolCall.toolCallId as string)
  expect(card).toMatchObject({
    kind: 'edit',
    title: 'Write a.txt',
    status: 'completed',
    locations: [{ path: project.at('a.txt') }],
    content: [{ type: 'diff', path: project.at('a.txt'), oldText: 'old\n', newText: 'new\n' }],
  })
  expect(project.read('a.txt')).toBe('new\n')
})

const slow = { calls: [{ tool: 'execute_command', input: { command: 'sleep 600' } }] }

describe('permissions', () => {
  test('a rejected call tells the agent, and the turn continues', async () => {
    const project = createTeam({ lead: [write('a.txt', 'x'), { reply: 'I could not.' }] })
    const editor = await openEditor(project, { decide: () => 'reject' })
    const sessionId = await editor.open()
    expect(await editor.prompt(sessionId, 'Write.')).toMatchObject({ stopReason: 'end_turn' })
    expect(editor.text()).toBe('I could not.')
    expect([...editor.cards().values()]).toMatchObject([{ status: 'failed' }])
    expect(project.exists('a.txt')).toBe(false)
  })

  test("a decision in a terminal withdraws the editor's request", async () => {
    const project = createTeam({ lead: [write('a.txt', 'x'), { reply: 'Done.' }] })
    const withdrawn: boolean[] = []
    const editor = await openEditor(project, {
      decide: ({ signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            withdrawn.push(true)
            resolve(undefined)
          }),
        ),
    })
    const sessionId = await editor.open()
    const turn = editor.prompt(sessionId, 'Write.')
    await editor.until(() => editor.asked.length === 1)
    const [pending] = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as { id: string }[]
    expect((await project.cadre(['approve', pending?.id as string])).code).toBe(0)
    expect(await turn).toMatchObject({ stopReason: 'end_turn' })
    expect(withdrawn).toEqual([true])
    expect(project.read('a.txt')).toBe('x')
  })

  test('if the editor does not decide, the question remains in the files, and /resume asks again', async () => {
    const project = createTeam({ lead: [write('a.txt', 'x'), { reply: 'Done.' }] })
    const answers = [undefined, 'approve']
    const editor = await openEditor(project, { decide: () => answers.shift() })
    const sessionId = await editor.open()
    expect(await editor.prompt(sessionId, 'Write.')).toMatchObject({ stopReason: 'end_turn' })
    expect(editor.text()).toContain('Waiting for a decision.')
    expect(await editor.prompt(sessionId, '/resume')).toMatchObject({ stopReason: 'end_turn' })
    expect(project.read('a.txt')).toBe('x')
    expect(editor.asked).toHaveLength(2)
  })

  test('an answer that was not offered has no effect, and /resume asks again', async () => {
    const project = createTeam({ lead: [write('a.txt', 'x'), { reply: 'Done.' }] })
    const answers = ['approve-everything', 'approve']
    const editor = await openEditor(project, { decide: () => answers.shift() })
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'Write.')
    expect(project.exists('a.txt')).toBe(false)
    expect(editor.text()).toContain('Waiting for a decision.')
    await editor.prompt(sessionId, '/resume')
    expect(project.read('a.txt')).toBe('x')
  })
})

describe('cancel', () => {
  test('ends the turn as cancelled after all updates, withdraws the request, and the session continues', async () => {
    const project = createTeam({ lead: [write('a.txt', 'x'), { reply: 'Next.' }] })
    const editor = await openEditor(project, {
      decide: ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
    })
    const sessionId = await editor.open()
    const turn = editor.prompt(sessionId, 'Write.')
    await editor.until(() => editor.asked.length === 1)
    await editor.agent.notify('session/cancel', { sessionId })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
    const count = editor.updates.length
    expect([...editor.cards().values()]).toMatchObject([{ status: 'failed' }])
    expect(await editor.prompt(sessionId, 'Something else.')).toMatchObject({ stopReason: 'end_turn' })
    expect(
      editor.updates.slice(0, count).some(({ update }) => update.sessionUpdate === 'agent_message_chunk'),
    ).toBe(false)
    expect(editor.text()).toBe('Next.')
  })

  test('before a prompt, or of an unknown session, does nothing', async () => {
    const project = createTeam({ lead: [{ reply: 'Hello.' }] })
    const editor = await openEditor(project)
    const sessionId = await editor.open()
    await editor.agent.notify('session/cancel', { sessionId })
    await editor.agent.notify('session/cancel', { sessionId: 'unknown' })
    expect(await editor.prompt(sessionId, 'Hi')).toMatchObject({ stopReason: 'end_turn' })
  })

  test('stops a command and everything below', async () => {
    const project = createTeam({ lead: [{ calls: [delegate('worker')] }], worker: [slow] })
    const editor = await openEditor(project)
    const sessionId = await editor.open()
    const turn = editor.prompt(sessionId, 'Wait.')
    await editor.until(() =>
      [...editor.cards().values()].some(({ kind, status }) => kind === 'execute' && status === 'in_progress'),
    )
    await editor.agent.notify('session/cancel', { sessionId })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
    expect([...editor.cards().values()].map(({ status }) => status)).toEqual(['failed', 'failed'])
  })
})

describe('subagents', () => {
  const lanes = {
    lead: [{ calls: [delegate('worker', 'Write a file.')] }, { reply: 'All done.' }],
    worker: [write('a.txt', 'x'), report('It is written.')],
  }

  test('are cards of the session with progress, and ask with the chain of agents', async () => {
    const project = createTeam(lanes)
    const editor = await openEditor(project)
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'Go.')
    const [asked] = editor.asked
    expect(asked?.sessionId).toBe(sessionId)
    expect(asked?.toolCall.title).toContain('lead › worker')
    const cards = [...editor.cards().values()]
    expect(cards).toMatchObject([
      { kind: 'think', title: 'worker: Write a file.', status: 'completed' },
      { kind: 'edit', title: 'worker: Write a.txt', status: 'completed' },
    ])
    expect(JSON.stringify(cards[0]?.['content'])).toContain('It is written.')
    expect(editor.updates.every((one) => one.sessionId === sessionId)).toBe(true)
    expect(editor.text()).toBe('All done.')
    const progress = editor
      .of('tool_call_update')
      .filter(({ toolCallId }) => toolCallId === cards[0]?.['toolCallId'])
    expect(JSON.stringify(progress)).toContain('waiting for a decision')
  })

  test('have their own sessions in an editor that follows them', async () => {
    const project = createTeam(lanes)
    const editor = await openEditor(project, { capabilities: { subagents: {} } })
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'Go.')
    const child = project.sessions().find((id) => id.startsWith('worker-')) as string
    const announced = editor.updates.findIndex(({ update }) => update.sessionUpdate === 'subagent_update')
    const first = editor.updates.findIndex((one) => one.sessionId === child)
    expect(announced).toBeGreaterThan(-1)
    expect(first).toBeGreaterThan(announced)
    expect(editor.asked[0]?.sessionId).toBe(child)
    expect(editor.of('subagent_update').map(({ state }) => state?.state)).toEqual([
      'running',
      'requires_action',
      'running',
      'idle',
    ])
  })
})

describe('sessions of earlier', () => {
  test('load replays everything before it answers, and the conversation continues', async () => {
    const project = createTeam({
      lead: [{ calls: [delegate('worker')] }, { reply: 'First.' }, { reply: 'Second.' }],
      worker: [{ calls: [{ tool: 'read_file', input: { path: 'p.yaml' } }] }, report('Read.')],
    })
    const first = await openEditor(project)
    const sessionId = await first.open()
    await first.prompt(sessionId, 'Go.')
    await first.close()

    const editor = await openEditor(project)
    const loaded = await editor.agent.request('session/load', {
      sessionId,
      cwd: project.path,
      mcpServers: [],
    })
    expect(loaded.configOptions?.find(({ id }) => id === 'agent')).toMatchObject({ currentValue: 'lead' })
    expect(editor.of('user_message_chunk')).toMatchObject([{ content: { text: 'Go.' } }])
    expect(editor.text()).toBe('First.')
    expect([...editor.cards().values()].map(({ title, status }) => [title, status])).toEqual([
      ['worker: Do your part.', 'completed'],
      ['worker: Read p.yaml', 'completed'],
    ])
    await editor.prompt(sessionId, 'Go on.')
    expect(editor.text()).toBe('First.Second.')
    expect(project.sessions().filter((id) => id.startsWith('worker')).length).toBe(1)
  })

  test('load replays edits as diffs, and the usage', async () => {
    const edit = { path: 'a.txt', old: 'one', new: 'two' }
    const project = createTeam(
      {
        lead: [
          {
            calls: [
              { tool: 'edit_file', input: edit },
              { tool: 'write_file', input: { path: 'new.txt', content: 'new\n' } },
              { tool: 'write_file', input: { path: 'b.txt', content: 'after\n' } },
            ],
          },
          { reply: 'Done.', usage: { input: 100, output: 20, cost: 0.5 } },
        ],
      },
      { 'a.txt': 'one\nmore\n', 'b.txt': 'before\n' },
    )
    const first = await openEditor(project)
    const sessionId = await first.open()
    await first.prompt(sessionId, 'Go.')
    const used = first.of('usage_update').at(-1)
    await first.close()
    project.write('a.txt', 'changed since\n')

    const editor = await openEditor(project)
    await editor.agent.request('session/load', { sessionId, cwd: project.path, mcpServers: [] })
    const [edited, created, replaced] = [...editor.cards().values()].map(({ content }) => content)
    expect(edited).toEqual([{ type: 'diff', path: project.at('a.txt'), oldText: 'one', newText: 'two' }])
    expect(created).toEqual([{ type: 'diff', path: project.at('new.txt'), oldText: null, newText: 'new\n' }])
    expect(JSON.stringify(replaced)).toContain('The session does not contain the earlier text')
    expect(JSON.stringify(replaced)).toContain('after')
    expect(used).toBeDefined()
    expect(editor.of('usage_update')).toEqual([used])
  })

  test('resume does not replay the history', async () => {
    const project = createTeam({ lead: [{ reply: 'First.' }, { reply: 'Second.' }] })
    const first = await openEditor(project)
    const sessionId = await first.open()
    await first.prompt(sessionId, 'Go.')
    await first.close()
    const editor = await openEditor(project)
    await editor.agent.request('session/resume', { sessionId, cwd: project.path })
    expect(editor.of('user_message_chunk')).toEqual([])
    expect(editor.text()).toBe('')
    await editor.prompt(sessionId, 'Go on.')
    expect(editor.text()).toBe('Second.')
  })

  test("a terminal's session is listed and loaded, and an editor's session resumes in the terminal", async () => {
    const project = createTeam({ lead: [{ reply: 'First.' }, { reply: 'Second.' }] })
    await project.cadre(['run', '--model', 'scripted:p.yaml', 'From the terminal'])
    const editor = await openEditor(project)
    const { sessions } = await editor.agent.request('session/list', { cwd: project.path })
    expect(sessions).toMatchObject([{ title: 'From the terminal', cwd: project.path }])
    const sessionId = sessions[0]?.sessionId as string
    await editor.agent.request('session/load', { sessionId, cwd: project.path, mcpServers: [] })
    expect(editor.text()).toBe('First.')
    await editor.prompt(sessionId, 'More')
    await editor.close()
    const shown = await project.cadre(['sessions', 'show', sessionId])
    expect(shown.stdout).toContain('Second.')
  })

  test("changing the agent keeps the editor's session, and loading finds all its parts", async () => {
    const project = createTeam({ lead: [{ reply: 'I am lead.' }], worker: [{ reply: 'I am worker.' }] })
    const first = await openEditor(project)
    const sessionId = await first.open()
    await first.prompt(sessionId, 'Who?')
    const changed = await first.agent.request('session/set_config_option', {
      sessionId,
      configId: 'agent',
      value: 'worker',
    })
    expect(changed.configOptions.find(({ id }) => id === 'agent')).toMatchObject({ currentValue: 'worker' })
    await first.prompt(sessionId, 'And you?')
    await first.close()
    expect(project.sessions().sort()).toEqual([sessionId, `${sessionId}~2`])
    const editor = await openEditor(project)
    const { sessions } = await editor.agent.request('session/list', {})
    expect(sessions).toMatchObject([{ sessionId, title: 'Who?' }])
    await editor.agent.request('session/load', { sessionId, cwd: project.path, mcpServers: [] })
    expect(editor.text()).toBe('I am lead.I am worker.')
  })

  test('close, delete and unknown sessions', async () => {
    const project = createTeam({ lead: [{ reply: 'First.' }] })
    const editor = await openEditor(project)
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'Go.')
    await editor.agent.request('session/close', { sessionId })
    await expect(editor.prompt(sessionId, 'More')).rejects.toMatchObject({ code: -32002 })
    await editor.agent.request('session/delete', { sessionId })
    expect(project.sessions()).toEqual([])
    expect((await editor.agent.request('session/list', {})).sessions).toEqual([])
    const load = { cwd: project.path, mcpServers: [] }
    for (const id of [sessionId, '../../etc/passwd', ''])
      await expect(editor.agent.request('session/load', { ...load, sessionId: id })).rejects.toMatchObject({
        code: -32002,
      })
  })
})
