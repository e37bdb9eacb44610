import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { agentFile, createProject, delegate, report } from '../cli/support/project.ts'
import { openEditor } from './support/editor.ts'

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] })

function createTeam(lead: object[], files: Record<string, string | object> = {}, more: object = {}) {
  return createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': { lanes: { lead, ...more } },
    ...files,
  })
}

test('agents read unsaved text, edit it, and the editor writes it once', async () => {
  const project = createTeam(
    [
      call('read_file', { path: 'a.txt' }),
      call('edit_file', { path: 'a.txt', old: 'unsaved', new: 'changed' }),
      { reply: 'Done.' },
    ],
    { 'a.txt': 'saved\n' },
  )
  const file = project.at('a.txt')
  const buffers = new Map([[file, 'unsaved\n']])
  const editor = await openEditor(project, { buffers })
  await editor.prompt(await editor.open(), 'Edit.')
  expect(editor.files.filter((one) => one.startsWith('write'))).toEqual([`write ${file}`])
  expect(buffers.get(file)).toBe('changed\n')
  const cards = [...editor.cards().values()]
  expect(JSON.stringify(cards[0]?.['content'])).toContain('unsaved')
  expect(cards[1]).toMatchObject({
    status: 'completed',
    content: [{ type: 'diff', path: file, oldText: 'unsaved\n', newText: 'changed\n' }],
  })
  // The permission shows the change of what the person sees.
  expect(editor.asked[0]?.toolCall.content).toContainEqual(
    expect.objectContaining({ type: 'diff', oldText: 'unsaved\n', newText: 'changed\n' }),
  )
})

test("/undo restores the editor's changes, after a question", async () => {
  const project = createTeam([call('write_file', { path: 'a.txt', content: 'new\n' }), { reply: 'Done.' }], {
    'a.txt': 'old\n',
  })
  const editor = await openEditor(project, { buffers: new Map() })
  const sessionId = await editor.open()
  await editor.prompt(sessionId, 'Write.')
  expect(project.read('a.txt')).toBe('new\n')
  await editor.prompt(sessionId, '/undo')
  expect(editor.asked.at(-1)?.toolCall.title).toBe('Undo these changes?')
  expect(project.read('a.txt')).toBe('old\n')
})

test('if the editor does not write a file, the call fails, and Cadre does not write the file either', async () => {
  const project = createTeam([
    call('write_file', { path: 'a.txt', content: 'new\n' }),
    { reply: 'It failed.' },
  ])
  const editor = await openEditor(project, { buffers: new Map(), failsToWrite: true })
  await editor.prompt(await editor.open(), 'Write.')
  expect([...editor.cards().values()]).toMatchObject([{ status: 'failed' }])
  expect(JSON.stringify([...editor.cards().values()])).toContain('The editor did not write the file')
  expect(project.exists('a.txt')).toBe(false)
})

test('does not ask the editor for files that are outside its folder, protected or in the home', async () => {
  const outside = createProject({ 'secret.txt': 'secret' })
  const project = createTeam([
    call('read_file', { path: outside.at('secret.txt') }),
    call('read_file', { path: 'link/secret.txt' }),
    call('write_file', { path: outside.at('b.txt'), content: 'x' }),
    call('write_file', { path: '.git/config', content: 'x' }),
    call('write_file', { path: '.cadre/config.yaml', content: 'x' }),
    call('read_file', { path: '.cadre/config.yaml' }),
    { reply: 'Only the last one worked.' },
  ])
  symlinkSync(outside.path, project.at('link'))
  const editor = await openEditor(project, { buffers: new Map() })
  await editor.prompt(await editor.open(), 'Try.')
  expect(editor.files).toEqual([])
  expect(editor.asked).toEqual([])
  const states = [...editor.cards().values()].map(({ status }) => status)
  expect(states).toEqual([...Array(5).fill('failed'), 'completed'])
})

test('if the editor has no file system, Cadre writes the file, and the card shows its diff', async () => {
  const project = createTeam([
    call('write_file', { path: 'sub/a.txt', content: 'new\n' }),
    { reply: 'Done.' },
  ])
  const editor = await openEditor(project)
  await editor.prompt(await editor.open(), 'Write.')
  expect([...editor.cards().values()]).toMatchObject([
    { content: [{ type: 'diff', path: project.at('sub/a.txt'), oldText: null, newText: 'new\n' }] },
  ])
})

test('a prompt has images, resources, and links that the gate allows', async () => {
  const outside = createProject({ 'secret.txt': 'the secret' })
  const project = createTeam([{ reply: 'Seen.' }], { 'a b.txt': 'linked text', '.env': 'KEY=1' })
  const editor = await openEditor(project)
  const sessionId = await editor.open()
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64')
  await editor.agent.request('session/prompt', {
    sessionId,
    prompt: [
      { type: 'text', text: 'Look:' },
      { type: 'resource_link', name: 'a b.txt', uri: `${pathToFileURL(project.at('a b.txt')).href}#L1` },
      { type: 'resource_link', name: 'secret', uri: pathToFileURL(outside.at('secret.txt')).href },
      { type: 'resource_link', name: 'page', uri: 'https://example.com/' },
      { type: 'resource', resource: { uri: 'zed:///thread/1', text: 'embedded ``` text' } },
      { type: 'image', mimeType: 'image/png', data: png },
    ],
  })
  const journal = project.read(path.join('.cadre/sessions', `${sessionId}.session.yaml`))
  expect(journal).toContain('linked text')
  expect(journal).toContain('embedded ``` text')
  expect(journal).toContain('https://example.com/')
  expect(journal).toContain(png)
  expect(journal).not.toContain('the secret')
  expect(JSON.stringify(editor.updates)).toContain('secret was not attached')
})

test('a child writes through the editor too, with its own card', async () => {
  const project = createTeam(
    [{ calls: [delegate('worker')] }, { reply: 'Done.' }],
    {},
    {
      worker: [call('write_file', { path: 'a.txt', content: 'x' }), report('Written.')],
    },
  )
  const editor = await openEditor(project, { buffers: new Map() })
  await editor.prompt(await editor.open(), 'Go.')
  expect(editor.files.at(-1)).toBe(`write ${project.at('a.txt')}`)
  expect([...editor.cards().values()].at(-1)).toMatchObject({ content: [{ type: 'diff', newText: 'x' }] })
})
