import { expect, test } from 'vitest'
import { serverScript } from '../../packages/mcp/src/server-script.spec-helpers.ts'
import { agentFile, createProject } from '../cli/support/project.ts'
import { openEditor } from './support/editor.ts'

test("the editor's MCP servers work, and the gate asks about their calls", async () => {
  const user = createProject({ 'calc.cjs': serverScript() })
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': {
      lanes: { lead: [{ calls: [{ tool: 'mcp__calc__add', input: { a: 1, b: 2 } }] }, { reply: 'Done.' }] },
    },
  })
  const editor = await openEditor(project)
  const { sessionId } = await editor.agent.request('session/new', {
    cwd: project.path,
    mcpServers: [{ name: 'calc', command: process.execPath, args: [user.at('calc.cjs')], env: [] }],
  })
  await editor.prompt(sessionId, 'Add.')
  expect(editor.asked).toHaveLength(1)
  expect(JSON.stringify(editor.asked[0])).toContain('calc')
  expect([...editor.cards().values()]).toMatchObject([{ status: 'completed' }])
})

test('a server that runs a file in the folder needs trust, and the question shows its whole command line', async () => {
  const project = createProject({
    ...agentFile('lead'),
    'server.cjs': serverScript(),
    'p.yaml': { lanes: { lead: [{ reply: 'Hello.' }], assistant: [{ reply: 'Hello.' }] } },
  })
  const editor = await openEditor(project, {
    decide: () => 'no',
    env: { HOME: createProject().path },
    flags: { model: `scripted:${project.at('p.yaml')}` },
  })
  const { sessionId } = await editor.agent.request('session/new', {
    cwd: project.path,
    mcpServers: [{ name: 'calc', command: 'node', args: [project.at('server.cjs'), '--flag'], env: [] }],
  })
  await editor.prompt(sessionId, 'Hi')
  expect(JSON.stringify(editor.asked[0]?.toolCall.content)).toContain('server.cjs --flag')
})
