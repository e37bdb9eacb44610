import { expect } from 'vitest'
import { askingServer, formQuestion, urlQuestion } from '../../packages/mcp/src/asking-server.spec-helpers.ts'
import { agentFile, createProject } from '../cli/support/project.ts'
import { sampled } from '../support/amount.ts'
import { type EditorOptions, openEditor } from './support/editor.ts'

const test = sampled(2)

const files = {
  ...agentFile('lead'),
  '.cadre/config.yaml': { entry: 'lead' },
  'p.yaml': {
    lanes: { lead: [{ calls: [{ tool: 'mcp__calc__add', input: { a: 1 } }] }, { reply: 'Done.' }] },
  },
}

/** Prompts an editor whose server asks. */
async function ask(questions: readonly object[], options: EditorOptions = {}) {
  const user = createProject({ 'calc.cjs': askingServer(...questions) })
  const editor = await openEditor(createProject(files), { flags: { allow: ['calc/*'] }, ...options })
  const { sessionId } = await editor.agent.request('session/new', {
    cwd: editor.cwd,
    mcpServers: [{ name: 'calc', command: process.execPath, args: [user.at('calc.cjs')], env: [] }],
  })
  const answers = () => {
    const text = JSON.stringify([...editor.cards().values()].map(({ rawOutput }) => rawOutput))
    return JSON.parse(
      /"content":"(\[.*?\])"/.exec(text.replaceAll('\\"', "'"))?.[1]?.replaceAll("'", '"') ?? 'null',
    )
  }
  return { editor, sessionId, answers }
}
const branch = { branch: { type: 'string', title: 'Branch' } }

test("an editor that supports forms gets a server's form, with the names of the server and the agent", async () => {
  const asked: unknown[] = []
  const url = `https://login.example/start?state=${'x'.repeat(900)}`
  const { editor, sessionId, answers } = await ask(
    [formQuestion('Which branch?', branch), formQuestion('Which one?', branch), urlQuestion('Sign in', url)],
    {
      capabilities: { session: { notices: {} }, elicitation: { form: {}, url: {} } },
      elicit(request) {
        asked.push(request)
        const isFirst = request.message.includes('Which branch?')
        return { action: 'accept', content: isFirst ? { branch: 'main', more: 'dropped' } : { branch: 7 } }
      },
      decide: () => 'opened',
    },
  )
  await editor.prompt(sessionId, 'Go.')
  expect(asked).toHaveLength(2)
  expect(asked[0]).toMatchObject({
    mode: 'form',
    sessionId,
    toolCallId: expect.stringContaining(`${sessionId}/`),
    message: expect.stringContaining('The MCP server calc asks, during a call by lead:\n\nWhich branch?'),
    requestedSchema: { type: 'object', properties: branch, required: ['branch'] },
  })
  // An address is shown whole in a permission request, even if the editor could open it.
  expect(editor.asked).toHaveLength(1)
  expect(JSON.stringify(editor.asked[0]?.toolCall.content)).toContain(url)
  expect(editor.asked[0]?.toolCall.title).toContain(url)
  expect(answers()).toEqual([
    { action: 'accept', content: { branch: 'main' } },
    { action: 'decline' },
    { action: 'accept', content: {} },
  ])
  expect(editor.of('notice').map(({ title }) => title)).toContain(
    `The MCP server calc asked: "Which one?". Cadre declined, because the editor's answer does not match the form.`,
  )
})

test('an editor without forms gets a few choices as a permission request, and no other question', async () => {
  const chosen = { 'None?': 'accept', 'Sure?': 'no', 'Where?': 'choice-1', 'Never?': 'decline' }
  const { editor, sessionId, answers } = await ask(
    [
      formQuestion('None?'),
      formQuestion('Sure?', { sure: { type: 'boolean' } }),
      formQuestion('Where?', { to: { type: 'string', enum: ['dev', 'prod'] } }),
      formQuestion('Never?'),
      formQuestion('Which branch?', branch),
      urlQuestion('Sign in', 'javascript:alert(1)'),
    ],
    {
      decide: ({ toolCall }) => Object.entries(chosen).find(([text]) => toolCall.title?.endsWith(text))?.[1],
    },
  )
  await editor.prompt(sessionId, 'Go.')
  expect(editor.asked).toHaveLength(4)
  expect(editor.asked[0]?.toolCall.title).toBe('The MCP server calc asks, during a call by lead: None?')
  for (const { options } of editor.asked)
    expect(options.at(-1)).toEqual({ optionId: 'decline', name: 'Decline', kind: 'reject_once' })
  expect(answers()).toEqual([
    { action: 'accept', content: {} },
    { action: 'accept', content: { sure: false } },
    { action: 'accept', content: { to: 'prod' } },
    { action: 'decline' },
    { action: 'decline' },
    { action: 'decline' },
  ])
  expect(JSON.stringify(editor.of('agent_thought_chunk'))).toContain(
    'The MCP server calc asked: \\"Which branch?\\". Cadre declined, because test-editor does not support forms.',
  )
})

test('cancelling the turn withdraws an open question', async () => {
  let withdrawn = false
  const { editor, sessionId } = await ask([formQuestion('Sure?')], {
    decide: ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          withdrawn = true
          resolve(undefined)
        })
      }),
  })
  const turn = editor.prompt(sessionId, 'Go.')
  await editor.until(() => editor.asked.length === 1)
  await editor.agent.notify('session/cancel', { sessionId })
  expect(await turn).toMatchObject({ stopReason: 'cancelled' })
  expect(withdrawn).toBe(true)
})
