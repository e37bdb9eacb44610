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
