import { expect, test } from 'vitest'
import { agentFile, createProject, delegate, report } from '../cli/support/project.ts'
import { inDeep } from '../support/amount.ts'
import { startReceiver } from '../support/otlp-receiver.ts'
import { openEditor } from './support/editor.ts'

test("the editor's trace is the run's parent, and later prompts are linked", async () => {
  const receiver = await startReceiver()
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': { lanes: { lead: [{ reply: 'One.' }, { reply: 'Two.' }] } },
  })
  const editor = await openEditor(project, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } })
  const sessionId = await editor.open()
  const [trace, span, later] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7', '00f067aa0ba902b8']
  await editor.prompt(sessionId, 'One', { _meta: { traceparent: `00-${trace}-${span}-01` } })
  await editor.prompt(sessionId, 'Two', { _meta: { traceparent: `00-${trace}-${later}-01` } })
  await editor.prompt(sessionId, '/cost', { _meta: { traceparent: { hostile: true } } })
  await editor.close()
  const agents = receiver.spans.filter(({ name }) => name === 'invoke_agent lead')
  expect(agents.map(({ traceId }) => traceId)).toEqual([trace, trace])
  expect(agents[0]?.parentSpanId).toBe(span)
  expect(agents[1]?.links).toContainEqual(expect.objectContaining({ spanId: later }))
})

test('tasks are the plan', async () => {
  const project = createProject({
    ...agentFile('lead', { tools: ['create_task', 'update_task', 'query_tasks'] }),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': {
      lanes: {
        lead: [
          { calls: [{ tool: 'create_task', input: { title: 'Read the code' } }] },
          { calls: [{ tool: 'create_task', input: { title: 'Write the tests' } }] },
          { reply: 'Planned.' },
        ],
      },
    },
  })
  const editor = await openEditor(project, { flags: { allow: ['write'] } })
  await editor.prompt(await editor.open(), 'Plan.')
  expect(editor.of('plan').at(-1)?.entries).toMatchObject([
    { content: expect.stringContaining('Read the code'), status: 'pending' },
    { content: expect.stringContaining('Write the tests'), status: 'pending' },
  ])
})

test('parallel agents ask at the same time, and each answer reaches its call', async () => {
  const write = (path: string) => ({ calls: [{ tool: 'write_file', input: { path, content: path } }] })
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('one'),
    ...agentFile('two'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': {
      lanes: {
        lead: [{ calls: [delegate('one'), delegate('two')] }, { reply: 'Done.' }],
        one: [write('one.txt'), report('One.')],
        two: [write('two.txt'), report('Two.')],
      },
    },
  })
  const waiting: (() => void)[] = []
  const editor = await openEditor(project, {
    decide: ({ toolCall }) =>
      new Promise((resolve) => {
        waiting.push(() => resolve(JSON.stringify(toolCall).includes('one.txt') ? 'approve' : 'reject'))
        if (waiting.length === 2) for (const answer of waiting) answer()
      }),
  })
  const sessionId = await editor.open()
  expect(await editor.prompt(sessionId, 'Go.')).toMatchObject({ stopReason: 'end_turn' })
  expect(new Set(editor.asked.map(({ toolCall }) => toolCall.toolCallId)).size).toBe(2)
  expect(project.exists('one.txt')).toBe(true)
  expect(project.exists('two.txt')).toBe(false)
  // Every card was there before its request, and every id is unique although the models repeat their call ids.
  const ids = editor.of('tool_call').map(({ toolCallId }) => toolCallId)
  expect(new Set(ids).size).toBe(ids.length)
})

test('a long history is compacted on request, and an editor that knows compaction is told', async () => {
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': {
      summary: 'What was said.',
      lanes: { lead: { default: { reply: 'word '.repeat(400) } } },
    },
  })
  const editor = await openEditor(project, { capabilities: { session: { compaction: {}, notices: {} } } })
  const sessionId = await editor.open()
  for (const text of ['One', 'Two', 'Three', 'Four']) await editor.prompt(sessionId, text)
  await editor.prompt(sessionId, '/compact')
  expect(editor.of('compaction_update')).toMatchObject([{ status: 'completed' }])
})

test("shows a command's output in an editor terminal, which is released afterwards", async () => {
  const command = "printf 'one\\ntwo\\033[2Jthree\\n'; exit 3"
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': {
      lanes: {
        lead: [{ calls: [{ tool: 'execute_command', input: { command } }] }, { reply: 'Done.' }],
      },
    },
  })
  const editor = await openEditor(project, { terminals: true })
  await editor.prompt(await editor.open(), 'Run.')
  const [[terminalId, terminal] = []] = editor.terminals
  await editor.until(() => terminal?.isReleased === true)
  expect(terminal).toMatchObject({ output: 'one\ntwothree\n', code: 3 })
  const [card] = editor.cards().values()
  expect(card).toMatchObject({ kind: 'execute', title: command, status: 'failed' })
  expect(card?.['content']).toContainEqual({ type: 'terminal', terminalId })
  expect(JSON.stringify(card?.['content'])).toContain('Exit code 3.')
})

inDeep('an editor that cannot open its terminals does not change the result of a command', async () => {
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': {
      lanes: {
        lead: [
          { calls: [{ tool: 'execute_command', input: { command: 'touch done.txt' } }] },
          { reply: 'Done.' },
        ],
      },
    },
  })
  const editor = await openEditor(project, { capabilities: { terminal: true } })
  await editor.prompt(await editor.open(), 'Run.')
  expect([...editor.cards().values()]).toMatchObject([{ status: 'completed' }])
  expect(project.exists('done.txt')).toBe(true)
})
