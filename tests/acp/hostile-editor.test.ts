import { expect, test } from 'vitest'
import {
  agentFile,
  createProject,
  delegate,
  deployTool,
  type Project,
  report,
} from '../cli/support/project.ts'
import { openEditor } from './support/editor.ts'

const write = { calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'x' } }] }

function createTeam(lanes: object) {
  return createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': { lanes },
  })
}

const never = () => new Promise<undefined>(() => {})

test('invalid requests are errors, and the connection and other sessions continue', async () => {
  const project = createTeam({ lead: [{ reply: 'Still here.' }] })
  const editor = await openEditor(project)
  const sessionId = await editor.open()
  const cwd = project.path
  const requests: readonly [string, unknown][] = [
    ['session/new', { cwd: 'relative', mcpServers: [] }],
    ['session/new', { cwd: project.at('p.yaml'), mcpServers: [] }],
    ['session/new', { cwd: '/no/such/folder', mcpServers: [] }],
    ['session/new', { cwd }],
    ['session/new', 7],
    [
      'session/new',
      { cwd, mcpServers: [{ type: 'sse', name: 'x', url: 'http://127.0.0.1:1', headers: [] }] },
    ],
    ['session/new', { cwd, mcpServers: Array(51).fill({ name: 'x', command: 'x', args: [], env: [] }) }],
    ['session/prompt', { sessionId: 'unknown', prompt: [{ type: 'text', text: 'x' }] }],
    ['session/prompt', { sessionId, prompt: [] }],
    ['session/prompt', { sessionId, prompt: [{ type: 'text', text: '  ' }] }],
    ['session/prompt', { sessionId, prompt: 'text' }],
    ['session/prompt', { sessionId, prompt: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] }],
    ['session/load', { sessionId: `${sessionId}/../x`, cwd, mcpServers: [] }],
    ['session/load', { sessionId: 'x'.repeat(100_000), cwd, mcpServers: [] }],
    ['session/list', { cursor: 'nonsense' }],
    ['session/list', { cwd: 'relative' }],
    ['session/set_mode', { sessionId, modeId: '__proto__' }],
    ['session/nonsense', {}],
    ['authenticate', { methodId: 'x' }],
  ]
  for (const [method, params] of requests)
    await expect(
      editor.agent.request(method, params),
      `${method} ${JSON.stringify(params)?.slice(0, 80)}`,
    ).rejects.toMatchObject({
      code: expect.any(Number),
    })
  editor.send('this is no JSON\n[]\n{"jsonrpc":"2.0"}\nnull\n')
  expect(await editor.prompt(sessionId, 'Hi')).toMatchObject({ stopReason: 'end_turn' })
  for (const line of editor.raw().trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
})

test('a second prompt during a turn is rejected, and the first one continues', async () => {
  const project = createTeam({ lead: [write, { reply: 'Done.' }] })
  let answer = (_: string) => {}
  const editor = await openEditor(project, {
    decide: () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  })
  const sessionId = await editor.open()
  const first = editor.prompt(sessionId, 'Write.')
  await editor.until(() => editor.asked.length === 1)
  await expect(editor.prompt(sessionId, 'Again.')).rejects.toMatchObject({ code: -32600 })
  const options = { sessionId, configId: 'mode', value: 'read-only' }
  await expect(editor.agent.request('session/set_config_option', options)).rejects.toMatchObject({
    code: -32600,
  })
  answer('approve')
  expect(await first).toMatchObject({ stopReason: 'end_turn' })
  expect(project.read('a.txt')).toBe('x')
})

test('prompts in many sessions at the same time do not affect each other', async () => {
  const project = createTeam({
    lead: { default: { reply: 'Done: {{ work }}' } },
  })
  const editor = await openEditor(project)
  const ids = await Promise.all(Array.from({ length: 8 }, () => editor.open()))
  const answers = await Promise.all(ids.map((id, index) => editor.prompt(id, `Message ${index}`)))
  expect(answers.map(({ stopReason }) => stopReason)).toEqual(Array(8).fill('end_turn'))
  expect(project.sessions().sort()).toEqual([...ids].sort())
})

test('an editor that never answers a permission does not prevent a cancel or a close', async () => {
  const project = createTeam({ lead: [write, write] })
  const editor = await openEditor(project, { decide: never })
  const sessionId = await editor.open()
  const turn = editor.prompt(sessionId, 'Write.')
  await editor.until(() => editor.asked.length === 1)
  await editor.agent.request('session/close', { sessionId })
  expect(await turn).toMatchObject({ stopReason: 'cancelled' })
})

test('when the connection ends in a turn, the session is suspended, and resumes in a terminal', async () => {
  const project = createTeam({ lead: [write, { reply: 'Done.' }] })
  const editor = await openEditor(project, { decide: never })
  const sessionId = await editor.open()
  const turn = editor.prompt(sessionId, 'Write.').catch(() => 'gone')
  await editor.until(() => editor.asked.length === 1)
  await editor.close()
  expect(await turn).toBe('gone')
  await approveAll(project)
  const resumed = await project.cadre(['resume', sessionId])
  expect(resumed.stdout).toContain('Done.')
  expect(project.read('a.txt')).toBe('x')
})

test('a closed pipe in a turn ends Cadre, and the session can be resumed', async () => {
  const project = createTeam({
    lead: [{ calls: [delegate('worker')] }, { reply: 'Done.' }],
    worker: [write, report('Written.')],
  })
  const editor = await openEditor(project, { decide: never })
  const sessionId = await editor.open()
  void editor.prompt(sessionId, 'Write.').catch(() => undefined)
  await editor.until(() => editor.asked.length === 1)
  editor.breakPipe()
  await editor.ended
  await approveAll(project)
  expect((await project.cadre(['resume', sessionId])).stdout).toContain('Done.')
})

test('a message that is too long ends the connection and not the memory', async () => {
  const project = createTeam({ lead: [] })
  const editor = await openEditor(project)
  await editor.open()
  editor.send('"'.padEnd(33 * 1024 * 1024, 'x'))
  await editor.ended
})

test('a session that another process is running is rejected', async () => {
  const project = createTeam({ lead: [write, { reply: 'Done.' }] })
  const first = await openEditor(project, { decide: never })
  const sessionId = await first.open()
  const turn = first.prompt(sessionId, 'Write.')
  await first.until(() => first.asked.length === 1)
  const second = await openEditor(project)
  const load = second.agent.request('session/load', { sessionId, cwd: project.path, mcpServers: [] })
  await expect(load).rejects.toMatchObject({
    code: -32600,
    message: expect.stringContaining('is running in process'),
  })
  await expect(second.agent.request('session/delete', { sessionId })).rejects.toMatchObject({ code: -32600 })
  await first.agent.notify('session/cancel', { sessionId })
  await turn
})

test('invisible characters of an agent are visible in a request, and its title is one line', async () => {
  const to = 'a\u202eb\u200bc\nsecond line'
  const project = createProject({
    ...deployTool,
    ...agentFile('lead'),
    'p.yaml': { lanes: { lead: [{ calls: [{ tool: 'deploy', input: { to } }] }, { reply: 'No.' }] } },
  })
  const editor = await openEditor(project, { decide: () => 'reject', flags: { agent: 'lead', trust: true } })
  await editor.prompt(await editor.open(), 'Run.')
  const [asked] = editor.asked
  expect(asked?.toolCall.title).not.toMatch(/[\u202e\u200b\n]/)
  const shown = JSON.stringify(asked?.toolCall.content)
  expect(shown).toContain('second line')
  expect(shown).toContain('u202e')
})

async function approveAll(project: Project): Promise<void> {
  const pending = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as { id: string }[]
  for (const { id } of pending) await project.cadre(['approve', id])
}
